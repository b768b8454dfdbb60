"""SQL: how it is cut, what hides in it, and what its clients do themselves."""

import pytest

from walissh.react.turn import Risk
from walissh.safety import clients
from walissh.safety.clients import lex, sql
from walissh.safety.clients.lex import Dialect


def _risk(text: str, dialect: Dialect = "postgres") -> Risk:
    return sql.judge(text, dialect).risk


@pytest.mark.parametrize(
    ("text", "dialect", "count"),
    [
        ("select ';'; select 2", "postgres", 2),
        ("select 'a\\'; drop table t; --'", "sqlite", 2),
        ("select $x$ ; $x$; select 1", "postgres", 2),
        ("select 1 -- ; \n + 1", "postgres", 1),
        ("select 1 # ; \n + 1", "mysql", 1),
        ("select 5--1; select 1", "mysql", 2),
        ('select `a;b`, "c;d"', "mysql", 1),
        ("-- nothing", "postgres", 0),
    ],
)
def test_semicolons_count_only_outside_strings_and_comments(
    text: str, dialect: Dialect, count: int
) -> None:
    assert len(lex.statements(text, dialect)) == count


@pytest.mark.parametrize("comment", ["/*! {} */", "/*!50000 {} */", "/*M! {} */", "/*!80000{}*/"])
def test_a_comment_that_the_server_runs_is_no_comment(comment: str) -> None:
    assert _risk(comment.format("DROP TABLE t"), "mysql") is Risk.DESTRUCTIVE


def test_a_string_that_may_end_a_comment_is_not_read_over() -> None:
    text = "SELECT 1 /*!99999 + '*/ ; DROP TABLE t; -- ' */"
    assert _risk(text, "mysql") is not Risk.READ_ONLY


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_a_quote_behind_a_backslash_is_read_in_no_way(dialect: Dialect) -> None:
    assert _risk("select 'a\\'; drop table t -- '", dialect) is not Risk.READ_ONLY


def test_a_word_of_deletion_in_a_string_or_a_name_does_nothing() -> None:
    assert _risk("select 'drop table t', \"delete\" from a where b like '%truncate%'") is (
        Risk.READ_ONLY
    )


def test_explain_runs_nothing_and_explain_analyze_does() -> None:
    assert _risk("explain delete from t") is Risk.READ_ONLY
    assert _risk("explain (verbose, analyze) delete from t") is Risk.DESTRUCTIVE
    assert _risk("explain (analyze off) delete from t") is Risk.READ_ONLY


def test_explain_shows_no_rows_so_no_secrets() -> None:
    assert _risk("explain select passwd from pg_shadow") is Risk.READ_ONLY


@pytest.mark.parametrize(
    "text",
    [
        "select a from (select rolpassword a from pg_authid) x",
        "select 1 union select passwd from pg_shadow",
        "with x as (select * from pg_shadow) select * from x",
        "select (select rolpassword from pg_authid limit 1)",
    ],
)
def test_a_secret_is_one_at_any_depth(text: str) -> None:
    assert _risk(text) is Risk.SECRET_EXPOSURE


@pytest.mark.parametrize(
    "text",
    [
        "select count(password) from people",
        "select id from people where password is null",
        "select id, password is null from people",
        "select password_changed_at, token_count from people",
        "select count(*) from tokens",
    ],
)
def test_asking_about_a_secret_without_showing_it_reads(text: str) -> None:
    assert _risk(text) is Risk.READ_ONLY


def test_a_function_that_is_not_known_may_do_anything() -> None:
    told = sql.judge("select app.recount(1)", "postgres")
    assert (told.risk, told.code, told.word) == (Risk.OPAQUE, "function", "app.recount")


def test_a_long_sleep_is_refused_as_endless() -> None:
    assert sql.judge("select pg_sleep(1)", "postgres").interactive is False
    assert sql.judge("select pg_sleep(86400)", "postgres").interactive is True


def test_what_is_only_known_when_it_runs_is_opaque() -> None:
    assert _risk("select a from \0") is Risk.OPAQUE
    assert _risk("drop table \0") is Risk.DESTRUCTIVE


def test_a_file_read_into_a_temporary_table_is_a_file_shown() -> None:
    text = "create temp table f(l text); copy f from '/etc/app.conf'; select * from f"
    assert _risk(text) is Risk.SECRET_EXPOSURE


def test_prepared_text_is_judged_by_what_it_says() -> None:
    assert _risk("prepare s from 'select 1'; ", "mysql") is Risk.READ_ONLY
    assert _risk("prepare s from 'drop table t'; execute s", "mysql") is Risk.DESTRUCTIVE
    assert _risk("set @s = concat('dr', 'op table t'); prepare s from @s", "mysql") is (
        Risk.DESTRUCTIVE
    )


def test_t_sql_needs_no_semicolon() -> None:
    assert _risk("select 1 drop table t", "tsql") is Risk.DESTRUCTIVE


@pytest.mark.parametrize(
    ("program", "text", "risk"),
    [
        ("psql", "select 1;\n\\! reboot\n", Risk.DESTRUCTIVE),
        ("psql", "select 1 \\g |sh\n", Risk.DESTRUCTIVE),
        ("psql", "\\x\nselect 1;\n", Risk.READ_ONLY),
        ("mysql", "show processlist;\n", Risk.READ_ONLY),
        ("mysql", "kill 4;\n", Risk.DESTRUCTIVE),
        ("sqlite3", ".tables\nselect 1;\n", Risk.READ_ONLY),
        ("sqlite3", "select 1;\n.shell reboot\n", Risk.DESTRUCTIVE),
        ("redis-cli", "INFO\r\nFLUSHALL\r\n", Risk.DESTRUCTIVE),
        ("redis-cli", "info\nget a\n", Risk.READ_ONLY),
        ("mongosh", "db.a.countDocuments()", Risk.OPAQUE),
        ("mongosh", "db.a.drop()", Risk.DESTRUCTIVE),
    ],
)
def test_what_comes_in_is_judged_when_the_line_itself_says_it(
    program: str, text: str, risk: Risk
) -> None:
    told = clients.judge(program, (), fed=True, text=text)
    assert told is not None
    assert told.risk is risk


def test_what_comes_in_unseen_is_opaque() -> None:
    told = clients.judge("psql", ("shop",), fed=True)
    assert told is not None
    assert (told.risk, told.interactive) == (Risk.OPAQUE, False)


@pytest.mark.parametrize(
    "text",
    [
        "select " + "(" * 20_000 + "1",
        "select " + "a," * 30_000 + "1",
        "select 1;" * 5_000,
        "$a$" * 2_000,
        "/*!" * 2_000,
        "explain " + "( " * 2_000,
    ],
)
@pytest.mark.timeout(20)
def test_a_monstrous_statement_is_opaque_and_does_not_hang(text: str) -> None:
    assert _risk(text) is Risk.OPAQUE


@pytest.mark.parametrize("verb", ["delete from t", "update t set a = 1", "insert into t select 1"])
def test_a_write_behind_a_common_table_is_a_write(verb: str) -> None:
    assert _risk(f"with x as (select 1) {verb}") in {Risk.DESTRUCTIVE, Risk.MUTATING}


def test_a_whole_row_shows_what_a_star_shows() -> None:
    assert _risk("select to_jsonb(u) from users u") is Risk.SECRET_EXPOSURE
    assert _risk("select count(u) from users u") is Risk.READ_ONLY


def test_a_compound_block_is_not_the_start_of_a_transaction() -> None:
    assert _risk("begin not atomic truncate t; end", "mysql") is not Risk.READ_ONLY
    assert _risk("begin isolation level serializable; select 1; commit") is Risk.READ_ONLY
