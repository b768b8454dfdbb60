"""Measure recall: its quality on labelled sets, and its speed among a million memories.

    .venv/bin/python bench/recall.py quality FOLDER
    .venv/bin/python bench/recall.py scale [--people 1000] [--memories 1000] [--large 50000]
                                           [--url URL]

*quality* reads ``recall-*.jsonl`` of a folder and prints how many of the relevant texts are
among the first five and ten. *scale* fills a fresh database (a SQLite file in a temporary
folder, or the empty one at URL) and prints times and memory as one JSON object.
"""

import argparse
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from flask import Flask
from sqlalchemy import Engine, Insert, Select, String, Table, func, insert, literal, select, text
from sqlalchemy import cast as cast_to

from walissh.cli.evaluations import recall as evaluation
from walissh.config import Settings
from walissh.memory.entry import Found, MemoryType, Origin, Source
from walissh.memory.recall.values import Query
from walissh.react.host import Host
from walissh.store import database, hosts, people, postings
from walissh.store import memories as store
from walissh.store.database import Base, db
from walissh.store.hosts import HostDraft
from walissh.store.models import HostRow, MemoryRow, ShelfRow
from walissh.store.postings import Line

MEMORY, HOST = cast(Table, MemoryRow.__table__), cast(Table, HostRow.__table__)
HOSTS = 40
ORIGINALS = 8
OUTPUT = 25
"""So many facts does one output teach."""
NOW = datetime(2030, 1, 1, tzinfo=UTC)
PROGRAMS = (
    "nginx",
    "redis",
    "mysql",
    "postgres",
    "kafka",
    "haproxy",
    "exim",
    "squid",
    "varnish",
    "etcd",
    "consul",
    "vault",
    "grafana",
    "prometheus",
    "tomcat",
    "jenkins",
    "gitlab",
    "docker",
    "keepalived",
    "zookeeper",
    "rabbitmq",
    "memcached",
    "bind",
    "chrony",
)
SHAPES = (
    "{host} runs {program} {a}.{b}.{c}",
    "{program} on {host} listens on port {port}",
    "{host} 的 {program} 配置文件在 /etc/{program}/{word}.conf",
    "{program} on {host} timed out because the {word} pool was exhausted; raised it to {a}",
    "{host} 磁盘写满，{word} 的日志没有切割，已配置 logrotate 保留 {a} 天",
    "{host} 上 {word} 服务的负责人是 {other}",
    "before touching {program} on {host} always back up {word}",
    "{word} 回调超时，{host} 的防火墙丢了 {port} 入站，删除规则后恢复",
)
QUESTIONS = (
    "which version of {program} is on {host}",
    "{host} 的 {program} 端口是多少",
    "上次 {program} 超时是怎么解决的",
    "{host} disk full, what was it",
    "谁负责 {word}",
    "{program} 的配置文件在哪",
)


def _tell(result: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(result) + "\n")


# --- quality --------------------------------------------------------------------------


def quality(folder: Path) -> None:
    """Print recall at 5 and 10 of each set in *folder*."""
    for path in sorted(folder.glob("recall-*.jsonl")):
        if ".gold." not in path.name:
            _tell({"set": path.stem, **_quality(path)})


def _quality(path: Path) -> dict[str, float]:
    lines = _json_lines(path)
    gold = {each["id"]: each["relevant"] for each in _json_lines(_gold(path)) if "relevant" in each}
    begin = time.perf_counter()
    answers = [each for each in evaluation.answer(lines) if each is not None]
    took = time.perf_counter() - begin
    asked = [each for each in answers if gold.get(str(each["id"]))]
    result = {
        f"recall_at_{k}": round(
            statistics.fmean(_share(gold[str(each["id"])], each["hits"], k) for each in asked), 4
        )
        for k in (5, 10)
    }
    return {**result, "questions": len(asked), "seconds": round(took, 1)}


def _gold(path: Path) -> Path:
    apart = path.with_name(path.name.replace(".jsonl", ".gold.jsonl"))
    return apart if apart.exists() else path


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _share(relevant: Collection[str], hits: Any, k: int) -> float:
    return len({*relevant} & {*hits[:k]}) / len(relevant)


# --- scale ----------------------------------------------------------------------------


def scale(among: int, memories: int, large: int, url: str) -> None:
    """Print how long recall takes alone, among others, and for one with *large* memories.

    The person who is asked for writes and reads as the product does. The others are filled in
    with as many rows, and the words of these, at once: some with facts of their own, the rest
    with those of one of these.
    """
    with tempfile.TemporaryDirectory(prefix="walissh-bench-") as folder:
        app = Flask("scale")
        database.init_app(app, Settings(home=Path(folder), database_url=url))
        with app.app_context():
            Base.metadata.create_all(db.engine)
            _tell({"database": db.engine.dialect.name, **_scaled(among, memories, large)})
            db.session.remove()
            db.engine.dispose()


def _scaled(among: int, memories: int, large: int) -> dict[str, object]:
    result: dict[str, object] = {}
    asked = _person("p0")
    result["added_per_second"] = round(_learn(asked, memories))
    _settle(db.engine)
    result["alone_ms"] = _timed(asked.id)
    begin = time.perf_counter()
    originals = [_fill(f"p{number}", memories) for number in range(1, min(among, 1 + ORIGINALS))]
    for number in range(1 + ORIGINALS, among):
        _copy(f"p{number}", originals[number % ORIGINALS])
    result["filled_in_s"] = round(time.perf_counter() - begin)
    _settle(db.engine)
    result["among_all_ms"] = _timed(asked.id)
    result["added_per_second_among_all"] = round(_learn(_person("late"), memories))
    if large:
        result["large_ms"] = _timed(_fill("large", large).id)
    result["memories"] = (among + 1) * memories + large
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return result


def _settle(engine: Engine) -> None:
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("VACUUM"))  # as its own upkeep does sooner or later
        connection.execute(text("ANALYZE"))


@dataclass(frozen=True, slots=True)
class _Person:
    id: str
    hosts: tuple[Host, ...]


def _person(name: str) -> _Person:
    """Make somebody with forty servers."""
    owner = people.named(name).id
    drafts = (HostDraft(f"host-{n:02d}", f"10.0.0.{n}", "ops") for n in range(HOSTS))
    return _Person(owner, tuple(hosts.add(owner, draft) for draft in drafts))


def _learn(person: _Person, count: int) -> float:
    """Keep so many memories, as many at a time as one output teaches; return how many a second.

    What one output teaches is of one host.
    """
    batches: dict[str, list[Found]] = defaultdict(list)
    found = _found(person.id, count)
    for number, (host, each) in enumerate(found):
        batches[f"{number // (OUTPUT * HOSTS)} {host}"].append(each)
    named = {host.name: host for host in person.hosts}
    source = Source(Origin.TOOL)
    begin = time.perf_counter()
    for batch, taught in batches.items():
        store.add_all(person.id, taught, source, host=named[batch.partition(" ")[2]])
    return count / (time.perf_counter() - begin)


def _fill(name: str, count: int) -> _Person:
    """Make somebody with so many memories, written past the rules that settle them."""
    person = _person(name)
    named = {host.name: host.id for host in person.hosts}
    made = [*_found(person.id, count)]
    with database.writing() as session:
        rows = [_row(person.id, named[host], host, each) for host, each in made]
        session.execute(insert(MEMORY), rows)
        mine = select(MemoryRow.number).where(MemoryRow.user_id == person.id)
        numbers = session.scalars(mine.order_by(MemoryRow.number))
        lines = (
            Line(number, each.content, host, 0, NOW)
            for number, (host, each) in zip(numbers, made, strict=True)
        )
        postings.put_many(session, person.id, "memory", lines, fresh=True)
    return person


def _copy(name: str, original: _Person) -> _Person:
    """Make somebody with the memories of another: the rows alone, a hundred times as fast."""
    person = _person(name)
    with database.writing() as session:
        last = session.scalar(select(func.max(MEMORY.c.number))) or 0
        mine = select(MEMORY.c.number).where(MEMORY.c.user_id == original.id)
        first = session.scalar(mine.order_by(MEMORY.c.number).limit(1)) or 0
        shift = last + 1 - first
        there = select(ShelfRow).where(ShelfRow.owner_id == original.id)
        shelf = session.scalars(there).one()
        session.add(own := ShelfRow(owner_id=person.id, kind=shelf.kind))
        own.texts, own.length = shelf.texts, shelf.length
        session.flush()
        host = HOST.alias()
        changed = {
            "number": MEMORY.c.number + shift,
            "id": literal(f"{name}-") + cast_to(MEMORY.c.number, String),
            "user_id": literal(person.id),
            "host_id": host.c.id,
        }
        on = (host.c.owner_id == person.id) & (host.c.name == MEMORY.c.host)
        rows = select(*_changed(MEMORY, changed)).select_from(MEMORY.join(host, on))
        session.execute(_from(MEMORY, rows.where(MEMORY.c.user_id == original.id)))
        for table in (postings.LINE, postings.POSTING):
            moved = {"shelf": literal(own.number), "doc": table.c.doc + shift}
            rows = select(*_changed(table, moved)).where(table.c.shelf == shelf.number)
            session.execute(_from(table, rows))
        if db.engine.dialect.name == "postgresql":
            session.execute(text(_NEXT_NUMBER))
    return person


_NEXT_NUMBER = (
    "SELECT setval(pg_get_serial_sequence('long_term_memory', 'number'), max(number))"
    " FROM long_term_memory"
)


def _changed(table: Table, values: Mapping[str, Any]) -> list[Any]:
    return [values.get(each.name, each) for each in table.c]


def _from(table: Table, rows: Select[Any]) -> Insert:
    return insert(table).from_select([each.name for each in table.c], rows)


def _row(owner: str, host_id: str, host: str, found: Found) -> dict[str, object]:
    return {
        "id": database.new_id(),
        "user_id": owner,
        "type": found.type.value,
        "scope": found.scope,
        "host_id": host_id,
        "host": host,
        "subject": found.subject,
        "value": found.value,
        "content": found.content,
        "payload": {},
        "at": NOW,
        "proved_at": NOW,
    }


def _found(owner: str, count: int) -> Iterator[tuple[str, Found]]:
    """Give facts, each with the name of its host."""
    chance = random.Random(owner)  # noqa: S311  sample texts
    for number in range(count):
        host = f"host-{chance.randrange(HOSTS):02d}"
        content = chance.choice(SHAPES).format(host=host, **_words(chance))
        kind = chance.choice((MemoryType.ENVIRONMENT_FACT, MemoryType.SOFTWARE_FACT))
        yield host, Found(kind, f"thing {number}", content.rpartition(" ")[2], content)


def _words(chance: random.Random) -> dict[str, object]:
    return {
        "program": chance.choice(PROGRAMS),
        "word": f"svc{chance.randrange(2000)}",
        "other": f"team{chance.randrange(30)}",
        "port": chance.randrange(1024, 60000),
        "a": chance.randrange(1, 30),
        "b": chance.randrange(20),
        "c": chance.randrange(40),
    }


def _timed(owner_id: str, rounds: int = 300) -> dict[str, float]:
    """Return times on the clock, and of the processor: others may have it in between."""
    chance = random.Random(5)  # noqa: S311  sample questions
    for _ in range(20):
        _ask(owner_id, chance)
    times = sorted(_ask(owner_id, chance) for _ in range(rounds))
    worked = sorted(work for _, work in times)
    return {
        "p50": round(times[rounds // 2][0], 2),
        "p99": round(times[rounds * 99 // 100][0], 2),
        "cpu_p50": round(worked[rounds // 2], 2),
        "cpu_p99": round(worked[rounds * 99 // 100], 2),
    }


def _ask(owner_id: str, chance: random.Random) -> tuple[float, float]:
    host = f"host-{chance.randrange(HOSTS):02d}"
    question = chance.choice(QUESTIONS).format(host=host, **_words(chance))
    query = Query(question, at=NOW)
    begin, work = time.perf_counter(), time.process_time()
    store.recall(owner_id, query, k=5)
    return (time.perf_counter() - begin) * 1000, (time.process_time() - work) * 1000


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    tasks.add_parser("quality").add_argument("folder", type=Path)
    task = tasks.add_parser("scale")
    task.add_argument("--people", type=int, default=1000)
    task.add_argument("--memories", type=int, default=1000)
    task.add_argument("--large", type=int, default=50_000)
    task.add_argument("--url", default="")
    given = parser.parse_args()
    if given.task == "quality":
        quality(given.folder)
    else:
        scale(given.people, given.memories, given.large, given.url)


if __name__ == "__main__":
    main()
