"""Read traditional Chinese as simplified: the phrases are kept in one script.

A text stays as long as it was, so that what is found in one can be cut out of the other.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final

import yaml


def of(text: str) -> str:
    """Return *text* in simplified characters and the words that go with them."""
    if text.isascii():
        return text
    plain = text.translate(_characters())
    return _word().sub(lambda match: _words()[match[0]], plain)


@cache
def _word() -> re.Pattern[str]:
    return re.compile("|".join(_words()))


@cache
def _words() -> dict[str, str]:
    return dict(pair.split("=") for pair in _data()["words"].split())


@cache
def _characters() -> dict[int, str]:
    return {ord(pair[0]): pair[1] for pair in _data()["characters"].split()}


@cache
def _data() -> dict[str, str]:
    raw = (files("walissh.memory.extract") / "simplified.yaml").read_text("utf-8")
    data: dict[str, str] = yaml.load(raw, Loader=_LOADER)  # noqa: S506  either one is safe
    return data


_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
