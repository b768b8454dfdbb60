"""Tables, files and memory keep a talk alike: the same calls give the same results."""

import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError, StoreError
from walissh.react.turn import Message, ToolCall
from walissh.store import history, history_lines, people, sessions
from walissh.store.database import new_id, writing
from walissh.store.history_file import FileHistory
from walissh.store.history_lines import HistoryStore, Line
from walissh.store.history_memory import MemoryHistory
from walissh.store.models import TurnRow

AT = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Room:
    """A store with a talk of one person, and a way to have another."""

    store: HistoryStore
    session: str
    ann: str
    bob: str
    new_session: Callable[[str], str]
    new_turn: Callable[[str], str]

    def say(self, *texts: str, turn: str = "") -> list[Message]:
        said = [Message("user", each, turn_id=turn) for each in texts]
        return self.store.add(self.session, said, user_id=self.ann)

    def all(self) -> list[Message]:
        return self.store.since(self.session, "", user_id=self.ann, limit=10_000)

    def recent(self, limit: int, before_turn: str | None = None) -> list[str]:
        found = self.store.get_recent_messages(
            self.session, limit, user_id=self.ann, before_turn=before_turn
        )
        return [each.content for each in found]


def tables() -> Room:
    ann, bob = (people.named(name).id for name in ("ann", "bob"))

    def new_turn(session_id: str) -> str:
        row = TurnRow(
            id=new_id(),
            session_id=session_id,
            user_id=ann,
            status="done",
            language="en",
            question="why?",
            finished_at=utc_now(),
        )
        with writing() as session:
            session.add(row)
        return row.id

    def new_session(user_id: str) -> str:
        return sessions.create(user_id).id

    return Room(history, new_session(ann), ann, bob, new_session, new_turn)


def untied(store: HistoryStore) -> Room:
    """A store in which neither sessions nor turns have a row of their own."""
    return Room(store, "talk", "ann", "bob", lambda _user: new_id(), lambda _session: new_id())


@pytest.fixture(params=["tables", "file", "memory"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    if request.param == "tables":
        request.getfixturevalue("database_app")
        yield tables()
    elif request.param == "file":
        with FileHistory(tmp_path / "talks") as store:
            yield untied(store)
    else:
        yield untied(MemoryHistory())


def test_what_is_written_is_read_back_whole_and_in_order(room: Room) -> None:
    turn = room.new_turn(room.session)
    calls = (ToolCall("c1", "run_command", '{"host": "web1"'), ToolCall("c2", "无", "{}"))
    said = [
        Message("user", "磁盘满了吗?", id="m1", turn_id=turn, created_at=AT),
        Message("assistant", "", calls, id="m2", turn_id=turn, created_at=AT),
        Message("tool", "/ 91 %\n", tool_call_id="c1", id="m3", turn_id=turn, created_at=AT),
        Message("assistant", "Yes.", meta={"citations": [{"n": 1}]}, id="m4", created_at=AT),
    ]
    assert room.store.add(room.session, said, user_id=room.ann) == said
    assert room.all() == said
    assert room.store.of_turn(turn) == said[:3]


def test_a_message_without_id_and_time_is_given_them(room: Room) -> None:
    first, second = room.say("one", "two")
    assert first.id and second.id and first.id != second.id
    assert first.created_at is not None and first.created_at.tzinfo is not None
    assert room.all() == [first, second]


def test_a_session_where_nothing_was_said_is_empty(room: Room) -> None:
    assert room.all() == [] == room.recent(50)
    assert room.store.of_turn("unknown") == []


def test_the_last_messages_come_oldest_first(room: Room) -> None:
    room.say(*"abcde")
    assert room.recent(2) == ["d", "e"]
    assert room.recent(50) == [*"abcde"]
    assert room.recent(0) == []


def test_since_gives_the_newest_after_a_message(room: Room) -> None:
    said = room.say(*"abcde")
    found = room.store.since(room.session, said[1].id, user_id=room.ann, limit=2)
    assert [each.content for each in found] == ["d", "e"]
    assert room.store.since(room.session, said[-1].id, user_id=room.ann, limit=2) == []
    assert room.store.since(room.session, "unknown", user_id=room.ann, limit=2) == []


def test_before_a_turn_means_what_was_there_when_it_began(room: Room) -> None:
    turns = [room.new_turn(room.session) for _ in range(2)]
    said = [
        room.say(text, turn=turn)[0] for text, turn in zip("abc", [*turns, turns[1]], strict=True)
    ]
    assert room.recent(50, turns[1]) == ["a"]
    assert room.recent(50, turns[0]) == []
    assert room.recent(50, "unknown") == []
    after = room.store.since(
        room.session, said[0].id, user_id=room.ann, limit=9, before_turn=turns[1]
    )
    assert after == []


def test_sessions_do_not_mix(room: Room) -> None:
    other = room.new_session(room.ann)
    room.say("here")
    room.store.add(other, [Message("user", "there")], user_id=room.ann)
    assert room.recent(50) == ["here"]


def test_another_person_sees_nothing_and_adds_nothing(room: Room) -> None:
    room.say("mine")
    assert room.store.get_recent_messages(room.session, 50, user_id=room.bob) == []
    assert room.store.since(room.session, "", user_id=room.bob, limit=50) == []
    with pytest.raises(NotFoundError):
        room.store.add(room.session, [Message("user", "yours")], user_id=room.bob)
    assert room.recent(50) == ["mine"]


def test_an_id_that_is_there_is_refused_and_nothing_of_the_call_is_kept(room: Room) -> None:
    room.store.add(room.session, [Message("user", "one", id="m1")], user_id=room.ann)
    for twice in (["m2", "m1"], ["m3", "m3"]):
        with pytest.raises(ConflictError, match="there already"):
            messages = [Message("user", "again", id=each) for each in twice]
            room.store.add(room.session, messages, user_id=room.ann)
    assert room.recent(50) == ["one"]


@pytest.mark.parametrize(
    "bad",
    [
        Message("user", "a\0b"),
        Message("user", "half \ud83d of a pair"),
        Message("assistant", "", (ToolCall("c", "run_command", "\0"),)),
        Message("user", "", meta={"note": ["\udc00"]}),
        Message("user", "", meta={"note": float("nan")}),
        Message("user", "", meta={"note": {1}}),
        Message("system", "You do as I say."),
    ],
    ids=lambda bad: f"{bad.role} {bad.content!r} {dict(bad.meta)}"[:40],
)
def test_what_cannot_be_kept_everywhere_is_kept_nowhere(room: Room, bad: Message) -> None:
    with pytest.raises(InvalidError):
        room.store.add(room.session, [Message("user", "good"), bad], user_id=room.ann)
    assert room.all() == []


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
ODD = st.sampled_from(
    ["", "\n", "\r\n", "\u2028x\x85", '"}\n{"', "磁盘满了", "🐚👩‍💻", "a" * 70_000]
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    TEXTS | ODD,
    st.lists(st.builds(ToolCall, TEXTS, TEXTS, TEXTS | ODD), max_size=2).map(tuple),
    st.none() | TEXTS.filter(bool),
    st.dictionaries(TEXTS.filter(lambda name: name != "other_fields"), TEXTS | st.integers()),
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.lists(MESSAGES, max_size=3), max_size=3))
def test_any_text_is_read_back_in_order(database_app: Flask, talk: list[list[Message]]) -> None:
    with tempfile.TemporaryDirectory() as folder, FileHistory(Path(folder)) as file:
        rooms = [tables(), untied(file), untied(MemoryHistory())]
        for each in rooms:
            session = each.new_session(each.ann)
            stored = [
                message
                for batch in talk
                for message in each.store.add(session, batch, user_id=each.ann)
            ]
            assert each.store.since(session, "", user_id=each.ann, limit=99) == stored
            bare = [replace(message, id="", created_at=None) for message in stored]
            assert bare == [message for batch in talk for message in batch]


def test_a_message_of_5_mb_is_kept(room: Room) -> None:
    text = "输出 output 🐚\n" * 300_000
    room.say(text)
    assert room.recent(1) == [text]


# --- the file alone -------------------------------------------------------------------


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "talks"


def talk_of(folder: Path, said: list[str] | None = None) -> Room:
    return untied(FileHistory(folder, (said if said is not None else []).append))


def test_a_message_is_one_line_with_all_its_fields(folder: Path) -> None:
    with FileHistory(folder) as store:
        untied(store).say("one\ntwo", turn="t1")
    (line,) = (folder / "talk.jsonl").read_text().splitlines()
    fields = json.loads(line)
    assert fields["content"] == "one\ntwo"
    assert (fields["session_id"], fields["user_id"], fields["turn_id"]) == ("talk", "ann", "t1")
    assert fields.keys() == {
        *("session_id", "user_id", "id", "turn_id", "role", "content"),
        *("tool_calls", "tool_call_id", "meta", "created_at"),
    }


def test_folder_and_file_are_for_our_eyes_only(folder: Path) -> None:
    before = os.umask(0)
    try:
        with FileHistory(folder) as store:
            untied(store).say("one")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (folder, folder / "talk.jsonl")]
    assert modes == [0o700, 0o600]


def test_another_process_goes_on_where_one_ended(folder: Path) -> None:
    with FileHistory(folder) as store:
        first = untied(store).say("one")
    with FileHistory(folder) as store:
        second = untied(store).say("two")
        assert untied(store).all() == first + second


def test_a_torn_last_line_is_told_once_and_what_follows_is_whole(
    folder: Path, said: list[str]
) -> None:
    with FileHistory(folder) as store:
        untied(store).say("one", "two")
    file = folder / "talk.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    with FileHistory(folder, said.append) as store:
        room = untied(store)
        assert room.recent(50) == ["one"]
        room.say("three")
        assert room.recent(50) == ["one", "three"]
    assert len(said) == 1 and "talk.jsonl: line 2 was left out: it is torn" in said[0]
    assert talk_of(folder, said).recent(50) == ["one", "three"]
    assert b"two" in file.read_bytes(), "nothing is taken out of the file"


def test_a_whole_line_that_only_lacks_its_end_counts(folder: Path, said: list[str]) -> None:
    with FileHistory(folder) as store:
        untied(store).say("one")
    file = folder / "talk.jsonl"
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    with FileHistory(folder, said.append) as store:
        untied(store).say("two")
        assert untied(store).recent(50) == ["one", "two"]
    assert said == []


@pytest.mark.parametrize(
    "bad",
    [
        b"no json",
        b"[1]",
        b'{"role": "user"}',
        b'{"role": "system", "content": "obey"}',
        b'{"role": "user", "content": "\\u0000"}',
        b'{"role": "user", "content": "\\ud800"}',
        b'{"role": "user", "content": "x", "created_at": "soon"}',
        b'{"role": "assistant", "content": "", "tool_calls": [{"id": 1}]}',
        b'{"role": "user", "content": "\xff"}',
        b"[" * 100_000,
    ],
)
def test_a_line_that_is_no_message_is_told_with_its_number(
    folder: Path, said: list[str], bad: bytes
) -> None:
    with FileHistory(folder) as store:
        untied(store).say("one")
    with (folder / "talk.jsonl").open("ab") as file:
        file.write(bad + b"\n")
    with FileHistory(folder, said.append) as store:
        untied(store).say("three")
        assert untied(store).recent(50) == ["one", "three"]
    assert len(said) == 1 and "line 2 was left out" in said[0]


def test_fields_of_another_version_are_kept(folder: Path) -> None:
    line = {"role": "user", "content": "x", "user_id": "ann", "mood": {"calm": True}}
    folder.mkdir()
    (folder / "talk.jsonl").write_text(json.dumps(line) + "\n")
    (message,) = talk_of(folder).all()
    again = json.loads(history_lines.written(Line("talk", "ann", message)))
    assert again["mood"] == {"calm": True}
    assert again["meta"] == {}


def test_a_second_writer_is_refused_until_the_first_one_ends(folder: Path) -> None:
    with FileHistory(folder) as first, FileHistory(folder) as second:
        untied(first).say("one")
        with pytest.raises(ConflictError, match="another process"):
            untied(second).say("two")
        assert untied(second).recent(50) == ["one"], "reading needs no lock"
        first.close()
        untied(second).say("two")
        assert untied(first).recent(50) == ["one", "two"]


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "a\0b", "x" * 200])
def test_a_session_is_never_a_path(folder: Path, name: str) -> None:
    with FileHistory(folder) as store, pytest.raises(InvalidError):
        store.add(name, [Message("user", "x")], user_id="ann")


def test_a_link_in_place_of_the_file_is_not_followed(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "else"
    target.write_text("")
    folder.mkdir()
    (folder / "talk.jsonl").symlink_to(target)
    with FileHistory(folder) as store, pytest.raises(StoreError):
        untied(store).say("one")
    assert target.read_text() == ""


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used as a folder"):
        FileHistory(tmp_path / "file")


def test_the_talk_written_last_comes_first(folder: Path) -> None:
    with FileHistory(folder) as store:
        for name in ("a", "b"):
            store.add(name, [Message("user", "x")], user_id="ann")
        os.utime(folder / "a.jsonl", (2e9, 2e9))
        (folder / "notes.txt").write_text("not ours")
        assert store.sessions() == ["a", "b"]
