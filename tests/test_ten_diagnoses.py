"""What people look at every day runs without a click, however it is worded."""

from functools import cache
from pathlib import Path

import pytest
import yaml

from walissh.react.circumstances import ADMIN, OPERATOR, Circumstances
from walissh.react.host import Auth, Host
from walissh.react.turn import Decision
from walissh.safety.policy import ReadOnlyGate

HOST = Host("h1", "u1", "web1", "192.0.2.1", 22, "ops", Auth.AUTO)
WORDINGS = 3


@cache
def diagnoses() -> dict[str, list[str]]:
    text = (Path(__file__).parent / "data" / "diagnoses.yaml").read_text()
    found: dict[str, list[str]] = yaml.safe_load(text)
    return found


def test_there_are_ten_in_three_wordings_at_least() -> None:
    assert len(diagnoses()) == 10
    assert all(len(each) >= WORDINGS for each in diagnoses().values())


@pytest.mark.parametrize("name", diagnoses())
@pytest.mark.parametrize("role", [OPERATOR, ADMIN])
def test_a_routine_diagnosis_needs_no_click(name: str, role: str) -> None:
    asked = [
        (command, verdict.risk, verdict.reasons)
        for command in diagnoses()[name]
        for verdict in [ReadOnlyGate().judge(command, HOST, "en", Circumstances(role=role))]
        if verdict.decision is not Decision.ALLOW
    ]
    assert asked == []
