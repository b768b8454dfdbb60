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
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.orm import Session

from walissh.cli.evaluations import recall as evaluation
from walissh.memory.entry import MemoryType
from walissh.memory.recall.values import Features, Query
from walissh.store import postings
from walissh.store.database import Base
from walissh.store.models import PersonRow
from walissh.store.postings import Line

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


def scale(people: int, memories: int, large: int, url: str) -> None:
    """Print how long recall takes alone, among *people*, and for one with *large* memories."""
    with tempfile.TemporaryDirectory(prefix="walissh-bench-") as folder:
        engine = _engine(url or f"sqlite:///{Path(folder) / 'bench.db'}")
        Base.metadata.create_all(engine)
        result: dict[str, object] = {"database": engine.dialect.name}
        result["put_per_second"] = round(_fill(engine, ["p0"], memories))
        result["alone_ms"] = _timed(engine, "p0")
        _fill(engine, [f"p{number}" for number in range(1, people)], memories)
        _settle(engine)
        result["among_all_ms"] = _timed(engine, "p0")
        result["put_per_second_among_all"] = round(_fill(engine, ["late"], memories))
        if large:
            _fill(engine, ["large"], large)
            _settle(engine)
            result["large_ms"] = _timed(engine, "large")
        result["memories"] = people * memories + memories + large
        result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        _tell(result)


def _engine(url: str) -> Engine:
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _wal)
    return engine


def _wal(connection: Any, _entry: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _settle(engine: Engine) -> None:
    with engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


def _fill(engine: Engine, owners: list[str], memories: int) -> float:
    """Give each of *owners* so many memories; return how many were put in per second."""
    begin = time.perf_counter()
    for owner in owners:
        with Session(engine) as session, session.begin():
            session.add(PersonRow(id=owner, name=owner, role="member"))
            session.flush()
            postings.put_many(session, owner, "memory", _memories(owner, memories))
    return len(owners) * memories / (time.perf_counter() - begin)


def _memories(owner: str, count: int) -> Iterator[Line]:
    chance = random.Random(owner)  # noqa: S311  sample texts
    first = chance.randrange(2**40)
    for number in range(count):
        host = f"host-{chance.randrange(40):02d}"
        line = chance.choice(SHAPES).format(host=host, **_words(chance))
        yield Line(first + number, line, host, 0, NOW - timedelta(hours=number))


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


def _timed(engine: Engine, owner: str, rounds: int = 300) -> dict[str, float]:
    """Return times on the clock, and of the processor: others may have it in between."""
    chance = random.Random(5)  # noqa: S311  sample questions
    for _ in range(20):
        _ask(engine, owner, chance)
    times = sorted(_ask(engine, owner, chance) for _ in range(rounds))
    worked = sorted(work for _, work in times)
    return {
        "p50": round(times[rounds // 2][0], 2),
        "p99": round(times[rounds * 99 // 100][0], 2),
        "cpu_p50": round(worked[rounds // 2], 2),
        "cpu_p99": round(worked[rounds * 99 // 100], 2),
    }


def _ask(engine: Engine, owner: str, chance: random.Random) -> tuple[float, float]:
    host = f"host-{chance.randrange(40):02d}"
    question = chance.choice(QUESTIONS).format(host=host, **_words(chance))
    query = Query(question, at=NOW)
    begin, work = time.perf_counter(), time.process_time()
    with Session(engine) as session:
        postings.search(session, owner, "memory", query, k=5, features=_features)
    return (time.perf_counter() - begin) * 1000, (time.process_time() - work) * 1000


def _features(_session: Session, docs: Collection[int]) -> Mapping[int, Features]:
    return {doc: Features(MemoryType.ENVIRONMENT_FACT, at=NOW) for doc in docs}


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
