"""The upkeep part watches itself too."""

import signal
from collections.abc import Iterator

import pytest
from flask import Flask

from walissh.service import worker
from workers.threads import WorkerDiedError


@pytest.fixture
def signals_as_before() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_upkeep_without_a_sign_of_life_ends_with_a_clear_line(
    database_app: Flask, signals_as_before: None
) -> None:
    with pytest.raises(WorkerDiedError, match="thread of the upkeep worker died"):
        worker.keep_up(database_app, beat=lambda *_: None)
