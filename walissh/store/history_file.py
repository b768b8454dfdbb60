"""The messages of talks in a folder: one file of JSON lines for each session."""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from walissh.errors import StoreError, TalkFileError
from walissh.react.turn import Message
from walissh.store import history_lines, history_memory, line_file
from walissh.store.history_lines import Line
from walissh.store.line_file import LineFile

logger = logging.getLogger(__name__)

SUFFIX: Final = ".jsonl"
SESSION_KIND: Final = "session"
"""The ``kind`` of a line that tells of the session itself; messages have no kind."""
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


@dataclass(slots=True)
class _Talk:
    """A file with what was read of it when it had *size* bytes."""

    file: LineFile
    size: int = 0
    lines: list[Line] = field(default_factory=list)
    told: set[int] = field(default_factory=set)


class FileHistory:
    """Satisfies `history_lines.HistoryStore`; the file of a session is ``<id>.jsonl``.

    A line that cannot be read (a process was killed while it wrote it) is left out, and
    *say* is told once. A file belongs to one writer until `close`.
    """

    def __init__(self, folder: Path, say: Callable[[str], object] = logger.warning) -> None:
        self._folder = folder
        self._say = say
        self._talks: dict[str, _Talk] = {}
        line_file.private_folder(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_why: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write to the files of this folder."""
        for talk in self._talks.values():
            talk.file.close()

    def sessions(self) -> list[str]:
        """Return the ids of the talks that have a file, the one written last first."""
        try:
            found = [(each.stat().st_mtime_ns, each.stem) for each in self._files()]
        except OSError as error:
            raise StoreError(f"{self._folder} cannot be read: {error.strerror}.") from error
        return [name for _at, name in sorted(found, reverse=True)]

    def lock(self, session_id: str) -> None:
        """Take the file of a session for writing; ConflictError if another has it."""
        self._talk(session_id).file.lock()

    def owner(self, session_id: str) -> str:
        """Return whose talk it is, "" if nothing was said."""
        lines = self._read(session_id)
        return lines[-1].user_id if lines else ""

    def add(self, session_id: str, messages: Sequence[Message], *, user_id: str) -> list[Message]:
        """Store *messages* at the end of a session, all or none; return them as stored."""
        talk = self._talk(session_id)
        talk.file.lock()
        lines = self._read(session_id)
        new = history_memory.fresh(session_id, messages, user_id, lines, self._ids())
        talk.file.append([history_lines.written(each) for each in new])
        lines.extend(new)
        talk.size = talk.file.size()
        return [each.message for each in new]

    def get_recent_messages(
        self, session_id: str, limit: int, *, user_id: str, before_turn: str | None = None
    ) -> list[Message]:
        """Return the last *limit* messages of this session and owner, oldest first."""
        lines = self._read(session_id)
        return history_lines.newest(lines, user_id, limit, before_turn=before_turn)

    def since(
        self,
        session_id: str,
        after_id: str,
        *,
        user_id: str,
        limit: int,
        before_turn: str | None = None,
    ) -> list[Message]:
        """Return the newest *limit* messages after that one, oldest first; "" means all."""
        return history_lines.newest(
            self._read(session_id), user_id, limit, after_id=after_id, before_turn=before_turn
        )

    def of_turn(self, turn_id: str) -> list[Message]:
        """Return the messages of one turn, oldest first."""
        lines = (line for each in self.sessions() for line in self._read(each))
        return [each.message for each in lines if each.message.turn_id == turn_id]

    def _files(self) -> Iterator[Path]:
        return (each for each in self._folder.glob(f"*{SUFFIX}") if _ID.fullmatch(each.stem))

    def _ids(self) -> set[str]:
        return {line.message.id for each in self.sessions() for line in self._read(each)}

    def _talk(self, session_id: str) -> _Talk:
        if not _ID.fullmatch(session_id):
            raise TalkFileError(f"{session_id!r} cannot be the name of a file of messages.")
        if session_id not in self._talks:
            self._talks[session_id] = _Talk(LineFile(self._folder / f"{session_id}{SUFFIX}"))
        return self._talks[session_id]

    def _read(self, session_id: str) -> list[Line]:
        """Return what the file holds now; it is read again only if it has grown."""
        talk = self._talk(session_id)
        size = talk.file.size()
        if size != talk.size:
            lines, whole = talk.file.read()
            talk.lines = list(self._sound(talk, lines, whole=whole))
            talk.size = size
        return talk.lines

    def _sound(self, talk: _Talk, lines: Sequence[bytes], *, whole: bool) -> Iterator[Line]:
        for number, text in enumerate(lines, start=1):
            torn = number == len(lines) and not whole
            if not text.strip():
                continue
            try:
                if history_lines.parsed(text).get("kind") != SESSION_KIND:
                    yield history_lines.read(text)
            except TalkFileError as error:
                self._tell(talk, number, "it is torn" if torn else str(error))

    def _tell(self, talk: _Talk, number: int, why: str) -> None:
        if number not in talk.told:
            talk.told.add(number)
            self._say(f"{talk.file.path}: line {number} was left out: {why}.")
