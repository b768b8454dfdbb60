"""What a big output costs: ``python -m bench.purify [MEGABYTES]``.

Bytes go through the mouth into a file, which stands for the store, and are told to the
model from there, each kind in a process of its own. Bar: the model gets its budget at most,
the process grows by 64 MB at most.
"""

# ruff: noqa: T201  it prints its figures
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import IO

from walissh.react import observation
from walissh.react.turn import CommandRun, CommandStatus, Risk
from walissh.safety.purify import Mouth

CHUNK = 32_768
WORDS = ["open", "close", "seek", "flush", "rotate", "lookup", "route", "frame"]


def a_log(n: int) -> str:
    """Return a line that differs from its neighbours in words."""
    words = " ".join(WORDS[(n * 7 + at * n) % 8] for at in range(8))
    return f"10:{n // 60 % 60:02d}:{n % 60:02d} app[{n * 7919 % 9999}]: {words} took {n % 977} ms\n"


KINDS: dict[str, Callable[[int], str]] = {
    "log": a_log,
    "one message": lambda n: f"10:00:{n % 60:02d} conn {n} from 10.0.0.{n % 250} was closed\n",
    "errors": lambda n: f"{WORDS[n % 8]} {WORDS[n // 8 % 8]}: failed with code {n}\n",
    "empty lines": lambda _n: "\n" * 1_000,
    "one line": lambda n: f"{n} ",
    "JSON lines": lambda n: f'{{"level":"info","id":"{WORDS[n % 8]}","took":{n}}}\n',
    "progress": lambda n: f"{n} of 9999999\r",
    "Chinese": lambda n: f"第{n}次检查{'甲乙丙丁戊'[n % 5]}区磁盘{'子丑寅卯'[n % 4]}正常\n",
}


def chunks(kind: str, megabytes: int) -> Iterator[bytes]:
    """Yield so many megabytes of a kind of output, cut as they come from a host."""
    waiting, total, n = b"", 0, 0
    while total < megabytes << 20:
        waiting += "".join(KINDS[kind](n + at) for at in range(500)).encode()
        n += 500
        while len(waiting) >= CHUNK:
            yield waiting[:CHUNK]
            waiting, total = waiting[CHUNK:], total + CHUNK
    yield waiting


def purified(kind: str, megabytes: int, store: IO[str]) -> CommandRun:
    """Put the output through the mouth into *store*; return the run that made it."""
    mouth, chars, lines, head = Mouth("utf-8"), 0, 0, ""
    for data in chunks(kind, megabytes):
        text = mouth.feed("stdout", data)
        chars, lines = chars + store.write(text), lines + text.count("\n")
        head = head if len(head) > 6_000 else head + text
    text = mouth.finish()
    chars, lines = chars + store.write(text), lines + text.count("\n") + bool(text)
    return replace(a_run(), output_head=head[:6_000], output_chars=chars, output_lines=lines)


def a_run() -> CommandRun:
    """Return a run that ended, with no output yet."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return CommandRun(
        id="abcd", turn_id="", session_id="", user_id="", step=1, tool_call_id="", host_id="",
        host="web1", host_revision=1, command="", reason="", status=CommandStatus.FINISHED,
        risk=Risk.READ_ONLY, reasons=(), limit_s=1, exit_code=0, error="", phase="",
        ended_by="exited", output_head="", output_tail="", output_chars=0, output_lines=0,
        created_at=now, started_at=now, finished_at=now,
    )  # fmt: skip


def measure(kind: str, megabytes: int) -> None:
    """Print one line for a kind: seconds, growth of the process, characters for the model."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as store:
        began = time.process_time()
        run = purified(kind, megabytes, store)
        mouth_s, began = time.process_time() - began, time.process_time()
        store.seek(0)
        told = observation.render(run, lambda _id, _offset, limit: store.read(limit))
        told_s = time.process_time() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(
        f"{kind:14}{run.output_lines:>12,}{mouth_s:>9.1f}{told_s:>9.1f}{grown:>9}{len(told):>9,}",
        flush=True,
    )


def main() -> None:
    """Measure each kind in a process of its own, or the one that is named."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    if len(sys.argv) > 2:
        measure(sys.argv[2], megabytes)
        return
    print(f"{'':14}{'lines':>12}{'mouth s':>9}{'told s':>9}{'MB':>9}{'chars':>9}", flush=True)
    for kind in KINDS:
        subprocess.run([sys.executable, "-m", "bench.purify", str(megabytes), kind], check=True)


if __name__ == "__main__":
    main()
