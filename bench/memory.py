"""Measure memory: its quality on labelled sets, and what it costs.

    make bench-memory SETS=FOLDER

FOLDER holds the sets (``extract.jsonl``, ``conflict.jsonl``, ``recall-*.jsonl`` with their
``.gold.jsonl``) and their scorers (``score_memory.py``, ``score_recall.py``). Each figure
stands beside its bar; times are of this machine, while it does nothing else. The million of
memories is measured by ``bench/recall.py scale``.
"""

# ruff: noqa: T201  it prints figures
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask
from sqlalchemy import Engine

from walissh.config import Settings
from walissh.memory.entry import Found, MemoryType, Origin, Place, Source
from walissh.memory.extract import facts, preferences
from walissh.store import database, hosts, memories, memory_events, people
from walissh.store.database import Base, db
from walissh.store.hosts import HostDraft

TALKS = {"locomo": (0.80, 0.48), "madial": (0.63, None), "memorybank": (0.94, None)} | {
    "cmrc": (0.96, None)
}


def main() -> None:
    """Print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=Path, help="the folder of sets and scorers")
    folder = parser.parse_args().sets
    print(f"{'what':<52}{'figure':>10}  bar")
    with tempfile.TemporaryDirectory() as scratch:
        quality(folder, Path(scratch))
        cost(Path(scratch))


def told(what: str, figure: float, bar: str) -> None:
    print(f"{what:<52}{figure:>10.4g}  {bar}")


# --- quality --------------------------------------------------------------------------


def quality(folder: Path, scratch: Path) -> None:
    """Run the evaluation commands on the sets, and their scorers on what these say."""
    found = scored(folder, scratch, "extract", "extract.jsonl", "score_memory.py", "extract")
    told("extraction: F1", found["micro"]["f1"], ">= 0.93")
    told("extraction: traps stored", found["trap_false_rate"], "<= 0.04")
    told("extraction: forbidden values stored", found["forbidden_values"], "0")
    told("extraction: program named", found["software_subject"], ">= 0.95")
    told("extraction: scope", found["scope_acc"], ">= 0.90")
    told("extraction: op", found["op_acc"], ">= 0.95")
    settled = scored(folder, scratch, "conflict", "conflict.jsonl", "score_memory.py", "conflict")
    told("conflicts settled right", settled["accuracy"], ">= 0.97")
    recalled = scored(folder, scratch, "recall", "recall-ops.jsonl", "score_memory.py", "recall")
    told("recall of memories: R@5", recalled["recall_at_5"], ">= 0.93")
    told("recall of memories: MRR", recalled["mrr"], ">= 0.82")
    told("recall of memories: stale above newer", recalled["stale_above_newer"], "0")
    told("recall of memories: of other people", recalled["leak_count"], "0")
    told("recall of memories: hits where nothing fits", recalled["mean_hits_on_no_answer"], "<= 2")
    for name, (bar, multi_hop) in TALKS.items():
        file = f"recall-{name}.jsonl"
        got = scored(folder, scratch, "recall", file, "score_recall.py")
        told(f"recall of what was said, {name}: R@10", got["all"]["r10"], f">= {bar}")
        if multi_hop:
            told(f"  multi-hop, {name}: R@10", _multi_hop(got), f">= {multi_hop}")


def _multi_hop(got: Mapping[str, Any]) -> float:
    return float(next(value["r10"] for name, value in got.items() if "multi" in name))


def scored(
    folder: Path, scratch: Path, task: str, file: str, scorer: str, *before: str
) -> dict[str, Any]:
    """Return what *scorer* says of the answers of ``walissh eval`` *task* to *file*."""
    answers = scratch / f"{task}-{file}"
    with (folder / file).open() as lines, answers.open("w") as out:
        evaluate = [sys.executable, "-m", "walissh", "eval", task]
        subprocess.run(evaluate, stdin=lines, stdout=out, check=True)
    gold = file if before else file.replace(".jsonl", ".gold.jsonl")
    command = [sys.executable, str(folder / scorer), *before, str(folder / gold), str(answers)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    result: dict[str, Any] = json.loads(said)
    return result


# --- cost -----------------------------------------------------------------------------

LINE = "Nov 30 06:00:01 web1 nginx[4242]: upstream timed out while reading response header\n"
OUTPUTS = ("nginx -v", "cat /var/log/nginx/error.log", "ss -tlnp", "redis-cli info", "df -h")


def cost(scratch: Path) -> None:
    """Print what extraction, writing and the two look-ups of the router's kin take."""
    preferences.from_user("以后都用 UTC")
    for chars, bar in ((10_000, "<= 2 ms"), (1_000_000, "<= 50 ms")):
        text = LINE * (chars // len(LINE))
        worst = max(
            median_ms(partial(facts.from_tool, text, command=command, rc=0), 5)
            for command in OUTPUTS
        )
        told(f"extraction of an output of {chars:,} characters, ms", worst, bar)
    with app(scratch).app_context():
        Base.metadata.create_all(db.engine)
        person = people.named("ann")
        told("memories added per second", added_per_second(person.id), ">= 1000")
        told("preferences in force, of 200, ms of the processor", in_force(), "<= 5")
        took_s, waited_ms = taken_in()
        told("an import of 10,000 lines, s of the processor", took_s, "<= 30")
        told("what another writer waits for it, p99 ms", waited_ms, "<= 50")
        latest = [ms(lambda: memories.newest(person.id, "subject 7")) for _ in range(200)]
        told("the latest value of a preference, p99 ms", p99(latest), "<= 8")
        events = [ms(lambda: memory_events.latest(person.id, 100)) for _ in range(200)]
        told("the latest 100 events of a person, p99 ms", p99(events), "<= 17")


def app(scratch: Path) -> Flask:
    flask = Flask("bench")
    database.init_app(flask, Settings(home=scratch))
    return flask


def added_per_second(person_id: str, outputs: int = 36, batch: int = 25) -> float:
    """Return how fast is kept what as many outputs and a hundred rules teach.

    What one output teaches is one transaction; in every third a program has a new version.
    """
    host = hosts.add(person_id, HostDraft("web1", "127.0.0.1", "ops"))
    rules = [
        Found(
            MemoryType.USER_PREFERENCE,
            f"subject {number}",
            f"value {number}",
            f"with subject {number} always use value {number}",
        )
        for number in range(100)
    ]
    begin = time.perf_counter()
    for start in range(0, len(rules), batch):
        memories.add_all(person_id, rules[start : start + batch], Source(Origin.USER, "api"))
    for number in range(outputs):
        memories.add_all(person_id, taught(number, batch), Source(Origin.TOOL), host=host)
    return (len(rules) + outputs * batch) / (time.perf_counter() - begin)


def taught(output: int, count: int) -> list[Found]:
    """Return what an output teaches: versions, ports and mounts by turns."""
    topic, value = output - output % 3 // 2, output % 3  # the third is of the second's programs
    return [_taught(f"{topic}-{number}", number, value) for number in range(count)]


def _taught(name: str, number: int, value: int) -> Found:
    if number % 3 == 0:
        version = f"{number}.{value}.4"
        text = f"program{name} {version} is installed"
        return Found(MemoryType.SOFTWARE_FACT, f"program{name}", version, text)
    if number % 3 == 1:
        port = f"0.0.0.0:{8000 + number}"
        text = f"service{name} listens on {port}"
        return Found(MemoryType.ENVIRONMENT_FACT, f"port of service{name}", port, text)
    size = f"{number + value}G"
    text = f"/srv/disk{name} is mounted from /dev/mapper/vg0-disk{name}, {size} of ext4"
    return Found(MemoryType.ENVIRONMENT_FACT, f"mount /srv/disk{name}", size, text, stale_days=30)


def in_force() -> float:
    """Return what it takes to tell which of 200 preferences hold on a host."""
    person_id = people.named("eve").id
    scopes = ("global", "host:web1", "host:db*", "all-except:db1")
    wishes = [
        Found(
            MemoryType.USER_PREFERENCE,
            f"way of tool number{number}",
            f"value {number}",
            f"use value {number} for tool {number}",
            scope=scopes[number % len(scopes)],
        )
        for number in range(200)
    ]
    memories.add_all(person_id, wishes, Source(Origin.USER, "api"))
    place, types = Place(("web1",)), [MemoryType.USER_PREFERENCE]
    ask = partial(memories.in_force, person_id, place, types=types)
    return statistics.median(processor_ms(ask) for _ in range(50))


LINES = 2_000


def taken_in() -> tuple[float, float]:
    """Return what an import of 10,000 lines takes, and what another writer waits for it."""
    person_id = people.named("ida").id
    lines = [
        json.dumps(
            {
                "type": "USER_PREFERENCE" if number % 4 else "TROUBLESHOOTING_CASE",
                "subject": f"subject {number}",
                "value": f"value {number}",
                "content": f"with subject {number} value {number} is used",
                "at": "2026-01-01T00:00:00+00:00",
            }
        )
        for number in range(LINES)
    ]
    waits: list[float] = []
    ended = threading.Event()
    other = threading.Thread(target=_write_beside, args=(db.engine, ended, waits))
    other.start()
    took_ms = processor_ms(lambda: memories.take_in(person_id, lines, "api"))
    ended.set()
    other.join()
    return took_ms / 1000 * 10_000 / LINES, p99(waits)


def _write_beside(engine: Engine, ended: threading.Event, waits: list[float]) -> None:
    """Begin and end a write again and again, and note how long each waits for its turn."""
    while not ended.wait(0.03):
        with engine.execution_options(**{database.WRITES: True}).connect() as connection:
            waits.append(ms(connection.begin))


def processor_ms(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def ms(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


def median_ms(work: Callable[[], object], rounds: int) -> float:
    work()
    return statistics.median(ms(work) for _ in range(rounds))


def p99(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)]


if __name__ == "__main__":
    main()
