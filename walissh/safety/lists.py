"""The files of lists beside the code: YAML of plain values, read once by those who need them."""

from importlib.resources import files
from typing import Any

import yaml

# the loader in C is ten times as quick; both are safe, they build plain values only
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(package: str, name: str) -> Any:
    """Return what the file *name* of *package* holds."""
    return parse((files(package) / name).read_text("utf-8"))


def parse(text: str) -> Any:
    """Return what a YAML *text* of ours holds."""
    return yaml.load(text, Loader=_LOADER)  # noqa: S506  either one is safe
