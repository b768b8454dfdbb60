"""What programs are called: commands and printed words on one side, products on the other."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class _Names:
    product_of: dict[str, str]
    words_of: dict[str, frozenset[str]]
    server_of: dict[str, str]
    package_of: dict[str, str]
    notable: frozenset[str]
    notable_heads: frozenset[str]


@cache
def _names() -> _Names:
    text = Path(__file__).with_name("programs.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)
    products: dict[str, list[str]] = table["products"]
    return _Names(
        {str(run).lower(): name for name, runs in products.items() for run in runs},
        {
            name: frozenset({name, *(str(r).lower() for r in runs)})
            for name, runs in products.items()
        },
        {str(k).lower(): v for k, v in table["servers"].items()},
        dict(table["packages"]),
        frozenset(str(each) for each in table["notable"]),
        frozenset(re.split(r"[^a-zA-Z]", str(each))[0].lower() for each in table["notable"]),
    )


_TAIL = re.compile(r"(?:[-_.]?\d[\d.]*|\.(?:sh|py|exe|bin|jar|bat))$")


@lru_cache(maxsize=1024)
def product(program: str) -> str:
    """Return the product's name for a command: ``php-fpm8.2`` is php, ``named`` is bind."""
    known, name = _names().product_of, program.lower()
    if name in known:
        return known[name]
    short = _TAIL.sub("", name) or name
    if short in known:
        return known[short]
    # the digit of an unknown program belongs to its name (icinga2), but not that of a file
    return short if "." in name.removeprefix(short) else name


def is_known(name: str) -> bool:
    """Tell whether *name* is a product, or a command of one."""
    names = _names()
    return name in names.words_of or name in names.product_of or name in names.notable


@lru_cache(maxsize=1024)
def words(program: str) -> frozenset[str]:
    """Return every word that means *program* in what it prints, in lower case."""
    name = product(program)
    short = _TAIL.sub("", program.lower())
    joined = {program.lower().replace(" ", "-"), program.lower().rpartition(" ")[2]}
    return frozenset({name, program.lower(), short, *joined}) | _names().words_of.get(
        name, frozenset()
    )


def server(client: str) -> str:
    """Return the product whose server *client* asks, "" if it is no such client."""
    return _names().server_of.get(client.lower(), "")


def package(name: str) -> str:
    """Return the product's name of an image or package."""
    return _names().package_of.get(name, name)


def begins_notable(word: str) -> bool:
    """Tell whether a notable package begins with *word*: a quick look before a close one."""
    return word.lower() in _names().notable_heads


def notable(name: str) -> bool:
    """Tell whether a package is worth keeping when nobody asked for it by name."""
    return name in _names().notable or _TAIL.sub("", name) in _names().notable
