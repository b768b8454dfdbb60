"""Kinds of secrets and of what only looks like one: all invented, none ever in use."""

import re
from pathlib import Path

import pytest

from walissh.safety import redact
from walissh.safety.exposing import finder
from walissh.safety.placeholders import Counted
from walissh.safety.purify import Mouth

DATA = Path(__file__).parent / "data"


def lines_of(name: str) -> list[str]:
    text = (DATA / name).read_text("utf-8")
    return [line.replace("\\n", "\n") for line in text.splitlines()]


def test_secrets_of_all_kinds_are_hidden() -> None:
    """In the file a secret stands between ⟦ and ⟧."""
    shown = []
    for line in lines_of("secrets.txt"):
        text = redact.redact(re.sub("[⟦⟧]", "", line))
        shown += [line for secret in re.findall("⟦(.*?)⟧", line, re.S) if secret in text]
    assert shown == []


def test_what_only_looks_like_a_secret_stays() -> None:
    assert [line for line in lines_of("lookalikes.txt") if redact.redact(line) != line] == []


@pytest.mark.parametrize("size", [1, 13, 500])
def test_all_kinds_in_one_stream_are_the_same_however_it_is_cut(size: int) -> None:
    text = re.sub("[⟦⟧]", "", "\n".join(lines_of("secrets.txt")))
    data, whole, cut = text.encode(), Mouth("utf-8", Counted()), Mouth("utf-8", Counted())
    at_once = whole.feed("stdout", data) + whole.finish()
    pieces = [cut.feed("stdout", data[at : at + size]) for at in range(0, len(data), size)]
    assert "".join(pieces) + cut.finish() == at_once


def test_a_value_below_its_name_is_hidden_across_pieces() -> None:
    mouth = Mouth("utf-8")
    told = mouth.feed("stdout", b"- name: DB_PASSWORD\n") + mouth.feed(
        "stdout", b"  value: tree7\n"
    )
    assert told == "- name: DB_PASSWORD\n  value: ‹secret:password›\n"


def test_a_key_over_several_lines_has_one_number_and_its_neighbours_the_next() -> None:
    key = "-----BEGIN EC PRIVATE KEY-----\n" + "AbC9" * 16 + "\n-----END EC PRIVATE KEY-----"
    text = redact.redact(f"password=tree7!\n{key}\npassword=tree7!\n{key}\n", Counted())
    assert text == (
        "password=‹secret:1 password›\n‹secret:2 private key›\n"
        "password=‹secret:1 password›\n‹secret:2 private key›\n"
    )


@pytest.mark.parametrize(
    ("command", "line", "shown"),
    [
        ("env", "PEPPER=kQ7mV2sL9x", "PEPPER=‹secret:value›"),
        ("docker inspect web", '"X_SEED9=kQ7mV2sL9x",', '"X_SEED9=‹secret:value›",'),
        ("systemctl show app", "Environment=A9=kQ7mV2sL9x", "Environment=A9=‹secret:value›"),
        ("env", "PATH=/usr/bin:/bin", "PATH=/usr/bin:/bin"),
        ("env", "NODE_VERSION=20.11.1", "NODE_VERSION=20.11.1"),
        ("env", "INVOCATION_ID=9f1c3e5a7b9d1f3e5c7a9b1d3f5e7c9a",
         "INVOCATION_ID=9f1c3e5a7b9d1f3e5c7a9b1d3f5e7c9a"),
        ("cat /etc/app.conf", "workers = 8", "workers = 8"),
        ("uptime", "PEPPER=kQ7mV2sL9x", "PEPPER=kQ7mV2sL9x"),
    ],
)  # fmt: skip
def test_a_command_that_prints_settings_gives_their_values_away(
    command: str, line: str, shown: str
) -> None:
    assert redact.redact(line) == line
    assert redact.Redactor(more=finder(command)).line(line) == [shown]
