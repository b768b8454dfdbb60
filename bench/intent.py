"""How long a decision takes, how often the rules are sure, and how often they are right then.

``python -m bench.intent [LABELLED.jsonl]``: the lines as for ``walissh eval intent``, each with
the right ``intent``. Bars: 1 ms at the median, a few ms for a message of any length; sure of at
least 70 %, and right in at least 95 % of those.
"""

# ruff: noqa: T201  it prints its figures
import json
import sys
import time
from pathlib import Path
from typing import Any

from walissh.react import intent
from walissh.react.followed import Intended
from walissh.react.intent import OpenTask
from walissh.react.turn import Message

ROUNDS = 50
TEXTS = {
    "an order": "restart the service on app9",
    "a question in Chinese": "上次那个 504 最后是怎么解决的",
    "a yes": "可以，不过等备份跑完",
    "a pasted log of 5 MB": "10:00:01 kernel: link is up, dropping a packet\n" * 110_000,
    "5 MB of Chinese": "磁盘又满了，日志里都是连接超时的报错，" * 90_000,
    "5 MB in one word": "a" * 5_000_000,
    "laughter": "哈" * 900 + "x",
    "spaces": " " * 100_000 + "继续",
}


def timings_ms(text: str) -> list[float]:
    """Return the times of many decisions, each on a text that was not seen before."""
    times = []
    for number in range(ROUNDS):
        fresh = f"{text} {number}"
        begin = time.thread_time()
        intent.decide(fresh, (), None)
        times.append((time.thread_time() - begin) * 1000)
    return sorted(times)


def decide(line: dict[str, Any]) -> Intended:
    """Decide one labelled line."""
    task = line.get("open_task")
    said = [Message(each["role"], each["content"]) for each in line.get("history") or ()]
    opened = task and OpenTask(task["goal"], tuple(task["done"]), task["next"])
    return intent.decide(line["text"], said, opened)


def measure(path: Path) -> None:
    """Print how often the rules are sure and right on a labelled file."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    made = [(decide(line), line["intent"]) for line in lines]
    right = [each for each, gold in made if each.intent.value == gold]
    sure = [(each, gold) for each, gold in made if intent.is_sure(each)]
    sure_right = sum(each.intent.value == gold for each, gold in sure)
    print(f"right {len(right) / len(made):.3f}  sure {len(sure) / len(made):.3f}  ", end="")
    print(f"right when sure {sure_right / max(1, len(sure)):.3f}  of {len(made)}")


def main() -> None:
    """Print the times, then the figures of the labelled file if one is named."""
    begin = time.perf_counter()
    for text in TEXTS.values():
        intent.decide(text[:300], (), None)
    print(f"loading once: {(time.perf_counter() - begin) * 1000:.0f} ms")
    print(f"{'':24}{'median':>8}{'worst':>8}  ms of {ROUNDS}")
    for name, text in TEXTS.items():
        times = timings_ms(text)
        print(f"{name:24}{times[ROUNDS // 2]:8.2f}{times[-1]:8.2f}")
    for path in sys.argv[1:]:
        measure(Path(path))


if __name__ == "__main__":
    main()
