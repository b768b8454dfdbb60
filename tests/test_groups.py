"""Groups of people: a name has one spelling, and joining twice is joining once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask
from sqlalchemy import func, select

from walissh.errors import InvalidError, NotFoundError
from walissh.store import groups, people
from walissh.store.database import reading
from walissh.store.models import AuditRow

COMPOSED, DECOMPOSED = "\u00e9quipe", "e\u0301quipe"


@pytest.fixture
def ann(database_app: Flask) -> str:
    """The id of a person."""
    return people.named("ann").id


@pytest.mark.parametrize(("joined", "asked"), [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)])
def test_a_name_is_the_same_however_its_accents_are_typed(
    ann: str, joined: str, asked: str
) -> None:
    groups.join(joined, ann)
    assert groups.members(asked) == [ann]
    with reading() as session:
        groups.require(session, asked, ann)
    assert groups.of_person(ann) == [COMPOSED]
    assert groups.leave(asked, ann)
    assert groups.every() == {}


def test_who_is_in_no_such_group_is_told_so(ann: str) -> None:
    with reading() as session, pytest.raises(NotFoundError, match="in no group named ops"):
        groups.require(session, "ops", ann)


def test_joining_again_changes_nothing(ann: str) -> None:
    groups.join("ops", ann)
    groups.join("ops", ann)
    assert groups.members("ops") == [ann]


def test_two_who_put_somebody_into_a_group_at_once_do_it_once(
    ann: str, database_app: Flask
) -> None:
    def join(_: int) -> None:
        with database_app.app_context():
            groups.join("ops", ann)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(join, range(4)))
    joined = select(func.count()).where(AuditRow.kind == "group_joined")
    with reading() as session:
        assert session.scalar(joined) == 1
    assert groups.members("ops") == [ann]


def test_a_name_with_blanks_is_no_name(ann: str) -> None:
    with pytest.raises(InvalidError, match="not a group's name"):
        groups.join("the ops", ann)
