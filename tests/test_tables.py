"""A table that is wrong is told with its file and line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from walissh.errors import InvalidError
from walissh.memory import tables


def package(folder: Path, name: str, text: str) -> str:
    """Make a package with the file ``words.yaml`` in it; return its name."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("")
    (folder / name / "words.yaml").write_text(text)
    return name


@pytest.fixture
def importable(tmp_path: Path) -> Iterator[Path]:
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))


def test_a_table_is_read_once(importable: Path) -> None:
    name = package(importable, "table_once", "a: [1]\n")
    first = tables.read(name, "words.yaml")
    (importable / name / "words.yaml").write_text("a: [2]\n")
    assert tables.read(name, "words.yaml") is first
    assert first == {"a": [1]}


def test_a_broken_line_is_named(importable: Path) -> None:
    name = package(importable, "table_broken", "a: 1\nb: [1, 2\nc: 3\n")
    with pytest.raises(InvalidError, match=r"words\.yaml, line 3: this is not YAML"):
        tables.read(name, "words.yaml")


@pytest.mark.parametrize(("name", "text"), [("table_list", "- a\n"), ("table_empty", "")])
def test_a_table_has_names(importable: Path, name: str, text: str) -> None:
    with pytest.raises(InvalidError, match=r"words\.yaml: here must be names with values"):
        tables.read(package(importable, name, text), "words.yaml")
