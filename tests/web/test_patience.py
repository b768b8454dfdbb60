"""Waiting for another process without asking all the time."""

from walissh.web.patience import LONGEST_PAUSE_S, wait_for


def test_looks_become_rarer_and_end_with_the_first_find() -> None:
    answers, pauses = [None] * 8 + ["found"], list[float]()
    found = wait_for(lambda: answers.pop(0), limit_s=60, sleep=pauses.append)
    assert found == "found" and answers == []
    assert pauses == sorted(pauses) and pauses[0] <= 0.05 and pauses[-1] == LONGEST_PAUSE_S


def test_what_never_comes_is_none() -> None:
    assert wait_for(lambda: None, limit_s=0.01) is None


def test_with_no_time_it_looks_once() -> None:
    assert wait_for(lambda: "there", limit_s=0) == "there"
