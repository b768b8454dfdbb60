"""The list of programs: every file of it is well formed, and each entry has one meaning."""

from importlib.resources import files

import pytest
import yaml

from walissh.safety import programs, table

KEYS = frozenset(
    "flags style args match whole values prints unknown numbers ignore_case script endless works "  # noqa: SIM905
    "terminal needs any_of interval stdin stdin_unless subs same writes changes destroys shows "
    "runs when risk help plain commands".split()
)
FAMILIES = [
    each for each in files("walissh.safety.programs").iterdir() if each.name.endswith(".yaml")
]


def unknown_keys(name: str, entry: dict[str, object]) -> list[str]:
    """Return the keys of *entry* and its sub-commands that mean nothing."""
    found = [f"{name}: {key}" for key in entry if key not in KEYS]
    subs = entry.get("subs") or {}
    assert isinstance(subs, dict)
    for sub, inner in subs.items():
        assert isinstance(sub, str), f"{name} {sub}: quote it, YAML reads it as something else"
        found += unknown_keys(f"{name} {sub}", inner)
    return found


@pytest.mark.parametrize("file", FAMILIES, ids=lambda file: str(file.name))
def test_every_key_of_a_family_means_something(file: object) -> None:
    family = yaml.safe_load(file.read_text("utf-8"))  # type: ignore[attr-defined]
    assert not [each for name, entry in family.items() for each in unknown_keys(name, entry)]


def test_no_program_is_listed_twice_in_one_file() -> None:
    for file in FAMILIES:
        names = [line.split(":")[0] for line in file.read_text("utf-8").splitlines()
                 if line and line[0] not in " #-}" and ":" in line]  # fmt: skip
        assert len(names) == len(set(names)), file.name


def test_at_least_250_programs_are_listed() -> None:
    assert len(programs.entries()) >= 250


def test_every_entry_makes_a_rule() -> None:
    assert dict(table.rules()).keys() == programs.entries().keys()
