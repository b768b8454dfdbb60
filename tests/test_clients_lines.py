"""Some eight hundred command lines of clients, and what each is judged to be."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from walissh.safety import clients

DATA = Path(__file__).parent / "data" / "clients"
_FED = re.compile(r"\s<\s*\S+$")


def _kind(line: str) -> str:
    words, fed = shlex.split(_FED.sub("", line)), _FED.search(line)
    text = "" if fed and fed[0].endswith("/dev/null") else None
    told = clients.judge(words[0], tuple(words[1:]), fed=fed is not None, text=text)
    assert told is not None, line
    return "waits" if told.interactive else told.risk.value


@pytest.mark.parametrize("family", ["sql", "redis", "http", "queues"])
def test_lines_are_judged_by_what_the_client_is_told_to_do(family: str) -> None:
    text = (DATA / f"{family}.yaml").read_text("utf-8")
    cases: dict[str, list[str]] = yaml.safe_load(text)
    wrong = [
        (line, "not", kind)
        for kind, lines in cases.items()
        for line in lines
        if _kind(line) != kind
    ]
    assert wrong == []
