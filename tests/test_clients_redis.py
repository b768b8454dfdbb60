"""redis-cli, mongosh and the tools of queues: what is told from words in any case."""

import pytest

from walissh.react.turn import Risk
from walissh.safety import clients
from walissh.safety.clients import mongo, redis


@pytest.mark.parametrize("word", ["flushall", "FLUSHALL", "FlushAll"])
def test_a_command_means_the_same_in_any_case(word: str) -> None:
    assert redis.command((word,)).risk is Risk.DESTRUCTIVE


def test_a_word_of_deletion_as_a_key_is_a_key() -> None:
    assert redis.command(("get", "flushall")).risk is Risk.READ_ONLY


def test_a_key_that_is_not_known_yet_cannot_change_what_the_command_does() -> None:
    assert redis.command(("ttl", "\0")).risk is Risk.READ_ONLY
    assert redis.command(("config", "get", "\0")).risk is not Risk.READ_ONLY
    assert redis.command(("\0", "a")).risk is Risk.OPAQUE


@pytest.mark.parametrize(
    ("script", "risk"),
    [
        ("return redis.call('GET', KEYS[1])", Risk.READ_ONLY),
        ("return redis.call('SET', KEYS[1], 1)", Risk.MUTATING),
        ("return redis.call('fl' .. 'ushall')", Risk.DESTRUCTIVE),
        ("return redis.call(ARGV[1])", Risk.OPAQUE),
        ("local c = redis.call; return c('GET', 'a')", Risk.OPAQUE),
        ("return redis['call']('GET', 'a')", Risk.OPAQUE),
        ("return \0", Risk.OPAQUE),
    ],
)
def test_a_script_is_what_it_calls(script: str, risk: Risk) -> None:
    assert redis.command(("eval", script, "0")).risk is risk


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("db.a.find({drop: 1}, {update: 1})", Risk.READ_ONLY),
        ('db.a["drop"]()', Risk.DESTRUCTIVE),
        ('db.a["dr" + "op"]()', Risk.DESTRUCTIVE),
        ("db.a.find({a: /'/}); db.a.drop(); //'", Risk.DESTRUCTIVE),
        ("(db.a.drop)()", Risk.OPAQUE),
        ("db.a.drop?.()", Risk.OPAQUE),
        ("db.a.dr\\u006fp()", Risk.OPAQUE),
        ("const f = db.a.drop; f()", Risk.OPAQUE),
        ("db.a.mystery()", Risk.OPAQUE),
        ('db.runCommand({"dropDatabase": 1})', Risk.DESTRUCTIVE),
        ("db.runCommand(x)", Risk.OPAQUE),
        ('db.a.aggregate([{"$out": "b"}])', Risk.MUTATING),
        ('require("child_process").exec("id")', Risk.DESTRUCTIVE),
        ("db.api_keys.find()", Risk.SECRET_EXPOSURE),
    ],
)
def test_a_script_of_mongosh_reads_only_if_every_call_does(text: str, risk: Risk) -> None:
    assert mongo.script(text).risk is risk


def test_a_watch_or_an_endless_loop_never_ends() -> None:
    assert mongo.script("db.a.watch()").interactive
    assert mongo.script("while(true){print(1)}").interactive


def test_queue_scripts_go_by_both_names() -> None:
    for name in ("kafka-topics", "kafka-topics.sh"):
        told = clients.judge(name, ("--bootstrap-server", "k:9092", "--list"), fed=False)
        assert told is not None
        assert told.risk is Risk.READ_ONLY


def test_an_option_that_is_not_listed_is_never_read_only() -> None:
    told = clients.judge("kafka-topics", ("--list", "--mystery"), fed=False)
    assert told is not None
    assert told.risk is Risk.OPAQUE


def test_a_program_of_another_kind_is_left_to_others() -> None:
    assert clients.judge("ls", ("-l",), fed=False) is None
    assert clients.judge("openssl", ("x509", "-noout"), fed=False) is None


def test_adding_a_part_never_makes_it_safer() -> None:
    plain = clients.judge("psql", ("-c", "drop table t"), fed=False)
    more = clients.judge("psql", ("-c", "drop table t", "-c", "select 1", "--mystery"), fed=False)
    assert plain is not None
    assert more is not None
    assert (plain.risk, more.risk) == (Risk.DESTRUCTIVE, Risk.DESTRUCTIVE)
