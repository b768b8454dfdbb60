"""An output is stored whole, in pieces, and read by characters or by lines."""

import pytest

from tests.fakes import call
from tests.world import World
from walissh.store import commands, outputs
from walissh.store.database import reading


@pytest.fixture
def run_id(world: World) -> str:
    """A command that runs."""
    world.script((call("uptime"),))
    turn = world.ask()
    world.step()
    run = commands.claim(world.runs(turn)[0].id, "w")
    assert run is not None
    return run.id


def summary(run_id: str) -> dict[str, object]:
    with reading() as session:
        return outputs.summary(session, run_id)


def test_pieces_are_read_as_one_text_from_any_offset(run_id: str) -> None:
    for piece in ("ab\n", "cd\n", "e"):
        outputs.append(run_id, piece)
    assert outputs.read(run_id, 0, 100).text == "ab\ncd\ne"
    assert outputs.read(run_id, 1, 4) == outputs.Slice(1, "b\ncd", 7)
    assert outputs.read(run_id, 99, 5) == outputs.Slice(99, "", 7)


def test_lines_are_numbered_over_the_borders_of_pieces(run_id: str) -> None:
    for piece in ("one\ntw", "o\nthree\nfo", "ur"):
        outputs.append(run_id, piece)
    assert outputs.read_lines(run_id, 2, 2, "") == [(2, "two"), (3, "three")]
    assert outputs.read_lines(run_id, 1, 10, "o") == [(1, "one"), (2, "two"), (4, "four")]


def test_a_short_output_is_all_head(run_id: str) -> None:
    outputs.append(run_id, "a\nb\n")
    assert summary(run_id) == {
        "output_head": "a\nb\n",
        "output_tail": "",
        "output_chars": 4,
        "output_lines": 2,
    }


def test_head_and_tail_of_a_long_output_do_not_overlap(run_id: str) -> None:
    text = "".join(f"line {number}\n" for number in range(1500))
    for at in range(0, len(text), 700):
        outputs.append(run_id, text[at : at + 700])
    told = summary(run_id)
    assert told["output_head"] == text[: outputs.HEAD_CHARS]
    rest = text[outputs.HEAD_CHARS :]
    assert told["output_tail"] == rest[-outputs.TAIL_CHARS :]
    assert told["output_lines"] == 1500


def test_no_output_is_nothing(run_id: str) -> None:
    assert summary(run_id)["output_lines"] == 0
    assert outputs.read(run_id, 0, 10) == outputs.Slice(0, "", 0)
