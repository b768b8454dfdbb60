"""How long fitting a talk into the window takes: ``python -m bench.window``.

Bar: from the stored summary and the rounds 20 ms at 300 messages, and at most twice that at
10,000; a text of 5 MB is counted at little cost.
"""

# ruff: noqa: T201  it prints its figures
import random
import time
from collections.abc import Callable

from walissh.react import rounds
from walissh.react.turn import Message, ToolCall
from walissh.react.window import fold, strategies
from walissh.react.window.summary import Summary
from walissh.react.window.tokens import Counter
from walissh.react.window.values import Budget

TIMES = 15
LINES = 40
BUDGETS = (8_000, 32_000, 128_000)


def talk(messages: int) -> list[Message]:
    """Return a made talk: in each round a question, a call, an output and an answer."""
    rnd = random.Random(7)  # noqa: S311  made-up text
    made: list[Message] = []
    while len(made) < messages:
        at = len(made)
        host = f"web-{rnd.randint(1, 9)}"
        output = "\n".join(
            f"10:00:{line:02d} {host} app[{rnd.randint(1, 9999)}]: took {rnd.random():.4f} s"
            for line in range(LINES)
        )
        call = ToolCall(f"c{at}", "run_command", f'{{"host": "{host}", "command": "uptime"}}')
        made += [
            Message("user", f"look at {host}, pass {at}", id=f"m{at}"),
            Message("assistant", "", (call,), id=f"m{at + 1}"),
            Message("tool", output, tool_call_id=f"c{at}", id=f"m{at + 2}"),
            Message("assistant", f"{host} answers in {rnd.randint(1, 90)} ms.", id=f"m{at + 3}"),
        ]
    return made


def median_ms(work: Callable[[], object]) -> float:
    """Return the median time of some calls."""
    times = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return sorted(times)[TIMES // 2] * 1000


def main() -> None:
    """Print the figures."""
    counter = Counter()
    counter.text("warm")
    fold.extend(Summary(), rounds.split(talk(8)))
    print(f"{'messages':>9}{'strategy':>10}" + "".join(f"{each:>10}" for each in BUDGETS) + "  ms")
    for size in (300, 10_000):
        split = rounds.split(talk(size))
        begin = time.perf_counter()
        stored = fold.extend(Summary(), split[:-6])
        whole = (time.perf_counter() - begin) * 1000
        for name in ("hybrid", "summary", "sliding", "lru"):
            times = []
            for tokens in BUDGETS:
                budget = Budget(tokens, counter, system="Be brief. " * 100)
                fit = strategies.of(name).fit
                summary = fit(split, stored, budget).summary  # as the store has it next time
                times.append(median_ms(lambda: fit(split, summary, budget)))  # noqa: B023
            print(f"{size:9}{name:>10}" + "".join(f"{each:10.1f}" for each in times))
        print(f"{size:9}  folding all of it once: {whole:.0f} ms")
    big = "2026-01-01 00:00:00 a line of five megabytes, 磁盘\n" * 105_000
    print(f"{len(big) / 1e6:.1f} million characters: {median_ms(lambda: counter.text(big)):.1f} ms")
    print(f"of which no more than 8,000: {median_ms(lambda: counter.fits(big, 8_000)):.1f} ms")


if __name__ == "__main__":
    main()
