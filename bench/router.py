"""How long the router, the weight and the proposal take: ``python -m bench.router``.

Bar: a route in 0.5 ms, for any length of text.
"""

# ruff: noqa: T201  it prints its figures
import time
from collections.abc import Callable

from walissh.memory import proposal, router, weight

ROUNDS = 200
TEXTS = {
    "an order": "restart the service",
    "a question in Chinese": "上次那个 504 最后是怎么解决的，按我的习惯再来一遍",
    "a pasted log": "10:00:01 kernel: eth0 link is up, dropping a packet from there\n" * 5_000,
    "a long text in Chinese": "磁盘又满了，日志里都是连接超时的报错，应用一直在重试，" * 5_000,
    "short words": "what is " + "a b c " * 20_000,
    "laughter": "哈" * 90 + "x",
}


def median_ms(work: Callable[[], object]) -> float:
    """Return the median time of many calls."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return sorted(times)[ROUNDS // 2] * 1000


def main() -> None:
    """Print one line for each text."""
    begin = time.perf_counter()
    tree = router.built_in()
    weight.weigh("")
    print(f"loading once: {(time.perf_counter() - begin) * 1000:.0f} ms")
    print(f"{'':24}{'route':>8}{'weight':>8}{'missing':>8}  ms, median of {ROUNDS}")
    for name, text in TEXTS.items():
        signals = router.Signals(text)
        figures = [
            median_ms(lambda: tree.decide(signals)),  # noqa: B023  called at once
            median_ms(lambda: weight.weigh(text)),  # noqa: B023
            median_ms(lambda: proposal.missing(text)),  # noqa: B023
        ]
        print(f"{name:24}" + "".join(f"{each:8.3f}" for each in figures))


if __name__ == "__main__":
    main()
