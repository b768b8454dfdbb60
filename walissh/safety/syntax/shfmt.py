"""The parser: a static binary, started once for each line that is not plain."""

import json
import os
import select
import shutil
import signal
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, Literal

from walissh.safety.shell import Dialect

LIMIT_S = 1.0
MAX_TREE_BYTES = 4_000_000
_READ_BYTES = 1 << 18
# one thread and no garbage collector: it lives for milliseconds
_ENVIRONMENT = {"GOMAXPROCS": "1", "GOGC": "off"}

Tree = dict[str, Any]


def tree(command: str, dialect: Dialect) -> Tree | Literal["no_parser", "syntax", "too_deep"]:
    """Return the syntax tree, or the fault that there is none.

    For ``sh`` both grammars must give the same tree: shells differ in all the rest.
    """
    binary = _binary()
    if binary is None:
        return "no_parser"
    text = _run(binary, command.encode(), "bash")
    if text is None or (dialect == "sh" and text != _run(binary, command.encode(), "posix")):
        return "syntax"
    try:
        found = json.loads(text)
    except RecursionError:
        return "too_deep"
    except ValueError:
        return "syntax"
    return found if isinstance(found, dict) else "syntax"


@cache
def _binary() -> str | None:
    beside = Path(sys.executable).parent / "shfmt"
    return str(beside) if beside.is_file() else shutil.which("shfmt")


def _run(binary: str, source: bytes, grammar: str) -> bytes | None:
    """Return what the parser prints; None if it fails, is late or prints too much."""
    read_end, write_end = os.pipe()
    source_end, feed_end = os.pipe()
    try:
        process = os.posix_spawn(
            binary,
            [binary, "--to-json", "-ln", grammar],
            _ENVIRONMENT,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, source_end, 0),
                (os.POSIX_SPAWN_DUP2, write_end, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
    except OSError:
        for end in (read_end, write_end, source_end, feed_end):
            os.close(end)
        return None
    os.close(write_end)
    os.close(source_end)
    try:
        printed = _read(read_end) if _fed(feed_end, source) else None
    finally:
        os.close(read_end)
    if printed is None:
        os.kill(process, signal.SIGKILL)
    return printed if _ended_well(process) else None


def _fed(end: int, source: bytes) -> bool:
    """Write *source* whole; it is shorter than what a pipe holds, so this never waits."""
    try:
        return os.write(end, source) == len(source)
    except BrokenPipeError:
        return False
    finally:
        os.close(end)


def _read(read_end: int) -> bytes | None:
    pieces: list[bytes] = []
    size, until = 0, time.monotonic() + LIMIT_S
    waiting = select.poll()  # select() knows no descriptor above 1,023
    waiting.register(read_end, select.POLLIN)
    while True:
        left_ms = int((until - time.monotonic()) * 1000)
        if left_ms <= 0 or not waiting.poll(left_ms):
            return None
        piece = os.read(read_end, _READ_BYTES)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > MAX_TREE_BYTES:
            return None


def _ended_well(process: int) -> bool:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    except ChildProcessError:  # someone else waits for every child of this process
        return False
