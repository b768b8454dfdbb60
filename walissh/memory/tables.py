"""Reads the word lists that lie beside the code, and those which a person wrote.

What is wrong in a file is told with its name and line.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml

from walissh.errors import InvalidError

MAX_FILE_CHARS: Final = 200_000

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Ten times as fast, where it is built."""


@cache
def read(package: str, file: str) -> Mapping[str, Any]:
    """Return the packaged table *file* of *package*, read once; its values are as YAML has them.

    Raises InvalidError, which names the file and, where it can, the line.
    """
    text = (files(package) / file).read_text("utf-8")
    try:
        table = yaml.load(text, _LOADER)  # noqa: S506  a safe loader, either of the two
    except yaml.YAMLError as error:
        raise _not_yaml(error, file) from error
    if not isinstance(table, dict):
        raise InvalidError(f"{file}: here must be names with values. Correct the file.")
    return table


class Place:
    """One value of a YAML file and where it stands; scalars stay the text they are.

    Each reader raises InvalidError, which names file and line.
    """

    __slots__ = ("_file", "_node")

    def __init__(self, node: yaml.Node, file: str) -> None:
        self._node, self._file = node, file

    def fail(self, what: str) -> InvalidError:
        """Return the error that *what* is wrong here."""
        line = self._node.start_mark.line + 1
        return InvalidError(f"{self._file}, line {line}: {what}", field=f"line {line}")

    def text(self) -> str:
        """Return a scalar."""
        if not isinstance(self._node, yaml.ScalarNode):
            raise self.fail("here must be a single value. Write it on one line.")
        return str(self._node.value)

    def is_text(self) -> bool:
        """Tell whether it is a scalar."""
        return isinstance(self._node, yaml.ScalarNode)

    def items(self) -> "list[Place]":
        """Return the parts of a list."""
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.fail("here must be a list. Begin each part with a dash.")
        return [Place(each, self._file) for each in self._node.value]

    def fields(self, *allowed: str) -> "dict[str, Place]":
        """Return the fields of a mapping; with *allowed*, no others may be there."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.fail("here must be names with values, such as `name: value`.")
        found: dict[str, Place] = {}
        for name_node, node in self._node.value:
            place = Place(name_node, self._file)
            name = place.text()
            if name in found:
                raise place.fail(f"{name!r} stands here twice. Take one out.")
            if allowed and name not in allowed:
                raise place.fail(f"{name!r} is not known here. Use {', '.join(allowed)}.")
            found[name] = Place(node, self._file)
        return found

    def yes(self) -> bool:
        """Return a yes or no."""
        text = self.text().lower()
        if text not in ("yes", "no", "true", "false"):
            raise self.fail(f"{text!r} is neither yes nor no. Write one of them.")
        return text in ("yes", "true")

    def number(self, least: float, most: float) -> float:
        """Return a number within these bounds."""
        try:
            number = float(self.text())
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise self.fail(f"{self.text()!r} is no number from {least:g} to {most:g}.")
        return number


def document(text: str, file: str) -> Place:
    """Return the root of a YAML text; *file* names it in errors."""
    if len(text) > MAX_FILE_CHARS:
        raise InvalidError(
            f"{file}: the file has more than {MAX_FILE_CHARS} characters. Make it shorter."
        )
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise _not_yaml(error, file) from error
    if node is None:
        raise InvalidError(f"{file}: the file is empty. Fill it or remove it.")
    return Place(node, file)


def _not_yaml(error: yaml.YAMLError, file: str) -> InvalidError:
    if not isinstance(error, yaml.MarkedYAMLError):
        return InvalidError(f"{file}: this is not YAML ({error}). Correct the file.")
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    return InvalidError(
        f"{file}, line {line}: this is not YAML ({error.problem}). Correct the line.",
        field=f"line {line}",
    )
