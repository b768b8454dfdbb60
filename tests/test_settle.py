"""Which of several writes of one memory is valid."""

from datetime import UTC, datetime, timedelta

import pytest

from walissh.memory import naming, settle
from walissh.memory.entry import MemoryType, Op, Origin, Place
from walissh.memory.settle import Claim

NOW = datetime(2025, 9, 1, 12, tzinfo=UTC)
WEB9 = Place(hosts=("web9",))


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def says(value: str, days: float = 30, **fields: object) -> Claim:
    """Return a person's preference of *days* ago, changed by *fields*."""
    known: dict[str, object] = {
        "op": Op.ADD,
        "type": MemoryType.USER_PREFERENCE,
        "origin": Origin.USER,
        "subject": "pager",
        "text": f"use {value}",
    }
    return Claim(at=days_ago(days), value=value, **(known | fields))  # type: ignore[arg-type]


def measured(value: str, days: float = 30, **fields: object) -> Claim:
    """Return a version that was measured on web9."""
    known: dict[str, object] = {
        "type": MemoryType.SOFTWARE_FACT,
        "origin": Origin.TOOL,
        "subject": "caddy",
        "scope": "host:web9",
        "host": "web9",
        "text": f"caddy {value}",
    }
    return says(value, days, **(known | fields))


def value(*claims: Claim, place: Place = WEB9, text: str = "") -> str | None:
    winner = settle.valid(claims, place, now=NOW, text=text)
    return winner.value if winner else None


# --- time -----------------------------------------------------------------------------


def test_the_newest_wins() -> None:
    assert value(says("less", 30), says("bat", 3)) == "bat"


def test_the_time_counts_and_not_the_order_of_arrival() -> None:
    assert value(says("bat", 3), says("less", 30)) == "bat"


def test_an_expired_write_gives_the_older_one_back() -> None:
    assert value(says("less", 30), says("bat", 3, expires_at=days_ago(1))) == "less"


def test_a_write_counts_until_it_expires() -> None:
    assert value(says("less", 30), says("bat", 3, expires_at=days_ago(-1))) == "bat"


def test_what_is_not_yet_written_does_not_count() -> None:
    assert value(says("less", 30), says("bat", -2)) == "less"


def test_nothing_written_is_nothing_valid() -> None:
    assert value() is None


# --- scope ----------------------------------------------------------------------------


def test_the_running_task_comes_first() -> None:
    once = says("cat", 9, scope="task:t4")
    here = Place(hosts=("web9",), task="t4")
    assert value(once, says("less", 3, scope="host:web9"), place=here) == "cat"


def test_what_was_for_another_task_is_gone() -> None:
    once = says("cat", 1, scope="task:t4")
    assert value(once, place=Place(task="t5")) is None
    assert value(once, place=Place()) is None


def test_a_host_comes_before_its_group_and_a_group_before_all() -> None:
    rules = says("a", 3), says("b", 9, scope="group:edge"), says("c", 20, scope="host:web9")
    assert value(*rules, place=Place(("web9",), ("edge",))) == "c"
    assert value(*rules, place=Place(("web8",), ("edge",))) == "b"
    assert value(*rules, place=Place(("db1",), ("data",))) == "a"


def test_a_host_by_name_comes_before_hosts_by_pattern() -> None:
    assert value(says("a", 3, scope="host:web*"), says("b", 9, scope="host:web9")) == "b"


def test_a_newer_rule_for_all_that_includes_the_host_clears_its_exception() -> None:
    exception = says("root", 30, scope="host:web9")
    assert value(exception, says("ops", 3, scope="global!")) == "ops"
    assert value(exception, says("ops", 3, text="ops on every host, including web9")) == "ops"
    assert value(exception, says("ops", 3, text="所有机器，包括 web9，都用 ops")) == "ops"


def test_a_later_exception_beats_the_rule_that_cleared_the_earlier_one() -> None:
    rules = (
        says("root", 30, scope="host:web9"),
        says("ops", 9, scope="global!"),
        says("web", 1, scope="host:web9"),
    )
    assert value(*rules) == "web"


def test_facts_of_another_host_are_not_told() -> None:
    assert value(measured("2.6.2", host="web8", scope="host:web8")) is None


def test_a_fact_with_a_host_is_of_that_host_even_without_a_scope() -> None:
    assert value(measured("2.6.2", host="web8", scope="global")) is None


def test_the_host_may_be_named_in_the_question() -> None:
    claim = measured("2.6.2")
    assert value(claim, place=Place(), text="caddy on web9?") == "2.6.2"
    assert value(claim, place=Place(), text="caddy on web99?") is None


@pytest.mark.parametrize(
    ("scope", "holds"),
    [
        ("global", True),
        ("global!", True),
        ("host:web9", True),
        ("host:WEB9", True),
        ("host:db1, web9", True),
        ("host:web*", True),
        ("host:*9", True),
        ("host:web", False),
        ("group:edge", True),
        ("group:core", False),
        ("all-except:db1", True),
        ("all-except:web9", False),
        ("all-except:web*", False),
        ("all-except:edge", False),
        ("task:t4", True),
        ("task:", False),
        ("rack:r1", False),
    ],
)
def test_a_scope_holds_where_it_says(scope: str, holds: bool) -> None:
    assert settle.holds(scope, Place(("web9",), ("edge",), "t4")) is holds


def test_no_host_scope_holds_without_a_host() -> None:
    assert not settle.holds("host:*", Place())
    assert settle.holds("all-except:db1", Place())


# --- trust ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin", [Origin.USER_HEDGED, Origin.ASSISTANT_HEDGED, Origin.DOCUMENT, Origin.BEHAVIOUR]
)
def test_a_newer_guess_does_not_beat_a_measurement(origin: Origin) -> None:
    assert value(measured("2.6.2"), measured("2.8.0", 1, origin=origin)) == "2.6.2"


def test_a_firm_word_beats_an_older_measurement() -> None:
    assert value(measured("2.6.2"), measured("2.8.0", 1, origin=Origin.USER)) == "2.8.0"


def test_a_newer_measurement_beats_an_older_firm_word() -> None:
    assert value(measured("2.8.0", origin=Origin.USER), measured("2.6.2", 1)) == "2.6.2"


def test_a_guess_is_better_than_nothing() -> None:
    assert value(measured("2.8.0", origin=Origin.USER_HEDGED)) == "2.8.0"


def test_output_of_a_machine_is_not_what_the_person_wants() -> None:
    assert value(says("less"), says("cat", 1, origin=Origin.TOOL)) == "less"


def test_outranks_goes_by_trust_and_then_by_time() -> None:
    old = measured("2.6.2")
    assert settle.outranks(measured("2.8.0", 1), old)
    assert not settle.outranks(measured("2.4.0", 60), old)
    assert not settle.outranks(measured("2.8.0", 1, origin=Origin.USER_HEDGED), old)


# --- withdrawal -----------------------------------------------------------------------


def test_a_withdrawal_voids_what_was_said_before() -> None:
    assert value(says("less", 30), says("", 3, op=Op.REMOVE)) is None


def test_what_is_said_after_a_withdrawal_counts() -> None:
    assert value(says("less", 30), says("", 9, op=Op.REMOVE), says("bat", 3)) == "bat"


def test_withdrawing_the_exception_gives_the_rule_back() -> None:
    exception = says("cat", 9, scope="host:web9")
    gone = says("", 3, op=Op.REMOVE, scope="host:web9")
    assert value(says("less", 30), exception, gone) == "less"


def test_withdrawing_the_rule_leaves_the_exception() -> None:
    exception = says("cat", 9, scope="host:web9")
    assert value(says("less", 30), exception, says("", 3, op=Op.REMOVE)) == "cat"


def test_a_general_withdrawal_takes_the_exceptions_when_there_is_no_rule() -> None:
    assert value(says("cat", 9, scope="host:web9"), says("", 3, op=Op.REMOVE)) is None


# --- subjects -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("RAM", "内存"),
        ("ssh user", "登录账号"),
        ("bastion", "jump host"),
        ("caddy version", "Caddy"),
    ],
)
def test_one_thing_has_one_key_whatever_it_is_called(one: str, other: str) -> None:
    assert naming.key(one) == naming.key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("nginx log path", "mysql log path"),
        ("ssh port", "app port"),
        ("restart of a", "backup of b"),
    ],
)
def test_two_things_are_two(one: str, other: str) -> None:
    assert not naming.same(one, other)


def test_another_wording_of_the_subject_is_the_same_matter() -> None:
    old, new = says("less", 30, subject="time zone"), says("bat", 3, subject="时区")
    assert value(old, new) == "bat"


def test_the_question_tells_which_of_two_matters_is_meant() -> None:
    squid = says("drain", 3, subject="squid restart", text="drain squid before a restart")
    caddy = says("copy", 30, subject="caddy edit", text="copy the caddy file before an edit")
    assert value(squid, caddy, text="what before I edit caddy?") == "copy"


def test_a_correction_goes_with_what_it_corrects() -> None:
    old = says("30 days", 30, subject="backup retention", text="keep backups for 30 days")
    new = says("13 days", 29, subject="days", text="typo, I meant 13 days")
    assert value(old, new, text="how long are backups kept") == "13 days"


def test_standing_has_the_winner_of_each_subject() -> None:
    claims = says("less", 30), says("bat", 3), says("vi", 9, subject="editor")
    winners = settle.standing(claims, WEB9, now=NOW)
    assert [each.value for each in winners] == ["vi", "bat"]


def test_standing_looks_at_each_host_by_itself() -> None:
    claims = says("less", 30), says("cat", 3, scope="host:web9")
    winners = settle.standing(claims, Place(("web8", "web9")), now=NOW)
    assert [each.value for each in winners] == ["less", "cat"]
