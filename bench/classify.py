"""Measure how long judging a command takes, for each family of a labelled set.

    .venv/bin/python bench/classify.py SETS/commands.gold.jsonl

Every line is judged once, uncached, in this process; then again, from the cache.
"""

# ruff: noqa: T201  it prints figures
import argparse
import json
import time
from collections import defaultdict
from pathlib import Path

from walissh.safety import risk, shell

HOSTILE = {
    "100 KB line": "ls " + "x" * 100_001,
    "95 KB of words": "ls " + "a " * 47_000,
    "10,000 brackets": "(" * 10_000,
    "1 MB here-document": "cat <<'E'\n" + "line\n" * 200_000 + "E\n",
    "300 substitutions": "echo " + "$(" * 300 + ")" * 300,
    "30 KB of quotes": "ls " + "''" * 15_000,
}


def main() -> None:
    """Print one line for each family and for each hostile text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labelled", type=Path)
    rows = [json.loads(line) for line in parser.parse_args().labelled.open(encoding="utf-8")]
    risk.classify("uptime; f=1; echo $f")  # the lists are read at first use
    taken = defaultdict(list)
    for row in rows:
        taken[row.get("family", "")].append(timed(row["command"]))
    for family, times in sorted(taken.items(), key=lambda each: -max(each[1])):
        told(family, times)
    told("all", [each for times in taken.values() for each in times])
    told("all, cached", [timed(row["command"]) for row in rows[-1000:]])
    for name, text in HOSTILE.items():
        told(name, [timed(text)])


def timed(command: str) -> float:
    """Return the milliseconds that one judgement takes."""
    start = time.perf_counter()
    risk.classify(command)
    return (time.perf_counter() - start) * 1000


def told(what: str, times: list[float]) -> None:
    times = sorted(times)
    p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"{what:<28}{len(times):>6}  p50 {times[len(times) // 2]:8.3f}  p99 {p99:8.3f} ms")


if __name__ == "__main__":
    shell.parse.cache_clear()
    main()
