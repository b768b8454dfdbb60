"""Slips in host names."""

import pytest

from walissh.brain import spelling

KNOWN = "192.0.2.4 depot.example.com depot web1.example.com pim.example.com labels.example.com"


@pytest.mark.parametrize("name", ["deopt.example.com", "dept.example.com", "depott.example.com"])
def test_one_slip_in_a_label_tells_the_name_that_was_meant(name: str) -> None:
    assert spelling.meant(name, KNOWN) == "depot.example.com"


@pytest.mark.parametrize(
    "name", ["web2.example.com", "pam.example.com", "ledger.example.com", "depot.example.net", "x"]
)
def test_another_machine_or_another_short_name_is_no_slip(name: str) -> None:
    assert spelling.meant(name, KNOWN) is None


def test_guesses_swap_neighbours_and_drop_a_letter() -> None:
    guesses = spelling.guesses("stroe.example.com")
    assert "store.example.com" in guesses
    assert "stroe.example.com" not in guesses
    assert len(guesses) <= 16


def test_guesses_leave_numbers_alone() -> None:
    assert "db21.example.com" not in spelling.guesses("db12.example.com")
