"""People, passwords and tokens: once, expiring, and only as digests."""

import threading
from contextlib import ExitStack

import pytest
from flask import Flask
from sqlalchemy import select

from walissh.errors import DeniedError, InvalidError
from walissh.store import password_hashes, people
from walissh.store.database import reading
from walissh.store.models import PersonRow, TokenRow


def test_the_first_admin_is_made_once(database_app: Flask) -> None:
    assert people.first_admin() == people.first_admin()


def test_a_link_lets_in_once(database_app: Flask) -> None:
    admin = people.first_admin()
    link = people.issue_token(admin.id, "link")
    assert people.use_link(link) == admin
    assert people.use_link(link) is None


def test_an_expired_link_lets_nobody_in(database_app: Flask) -> None:
    link = people.issue_token(people.first_admin().id, "link", ttl_s=-1)
    assert people.use_link(link) is None


def test_a_token_of_one_kind_is_none_of_another(database_app: Flask) -> None:
    token = people.issue_token(people.first_admin().id, "api")
    assert people.by_token("web", token) is None
    assert people.by_token("api", token) is not None


def test_a_revoked_token_lets_nobody_in(database_app: Flask) -> None:
    token = people.issue_token(people.first_admin().id, "web")
    people.revoke("web", token)
    assert people.by_token("web", token) is None


def test_no_table_holds_a_token_or_a_password(database_app: Flask) -> None:
    admin = people.first_admin()
    token = people.issue_token(admin.id, "api")
    people.set_password(admin.id, "correct horse")
    with reading() as session:
        stored = [row.digest for row in session.scalars(select(TokenRow))]
        stored += [str(row.password_hash) for row in session.scalars(select(PersonRow))]
    assert not any(token in each or "correct horse" in each for each in stored)


def test_the_right_password_lets_in_and_all_others_fail_alike(database_app: Flask) -> None:
    ann = people.named("ann")
    people.set_password(ann.id, "correct horse")
    assert people.check_password("ann", "correct horse").id == ann.id
    people.named("bob")
    told = set()
    for name, password in (("ann", "wrong"), ("bob", "correct horse"), ("eve", "x")):
        with pytest.raises(DeniedError) as caught:
            people.check_password(name, password)
        told.add(str(caught.value))
    assert len(told) == 1


def test_a_short_password_is_refused(database_app: Flask) -> None:
    with pytest.raises(InvalidError):
        people.set_password(people.first_admin().id, "short")


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "-rf"])
def test_a_name_that_is_none_is_refused(database_app: Flask, name: str) -> None:
    with pytest.raises(InvalidError):
        people.named(name)


def test_a_chinese_name_is_a_name(database_app: Flask) -> None:
    assert people.named("王伟").name == "王伟"


def test_a_new_password_signs_out_every_browser_and_no_program(database_app: Flask) -> None:
    ann, bob = people.named("ann"), people.named("bob")
    cookies = [people.issue_token(ann.id, "web") for _ in range(2)]
    others, program = people.issue_token(bob.id, "web"), people.issue_token(ann.id, "api")
    people.set_password(ann.id, "correct horse")
    assert [people.by_token("web", each) for each in cookies] == [None, None]
    assert people.by_token("web", others) is not None
    assert people.by_token("api", program) is not None


def test_with_every_place_taken_the_next_one_is_told_to_try_again(database_app: Flask) -> None:
    with ExitStack() as places:
        for _ in range(password_hashes.HASHES_AT_ONCE):
            places.enter_context(password_hashes.hash_slot())
        with pytest.raises(password_hashes.BusyError), password_hashes.hash_slot(0):
            pass
    with password_hashes.hash_slot(0):
        pass


def test_a_password_is_looked_at_when_a_place_gets_free(database_app: Flask) -> None:
    people.set_password(people.named("ann").id, "correct horse")
    found: list[str] = []

    def look() -> None:
        with database_app.app_context():
            found.append(people.check_password("ann", "correct horse").name)

    thread = threading.Thread(target=look)
    with ExitStack() as places:
        for _ in range(password_hashes.HASHES_AT_ONCE):
            places.enter_context(password_hashes.hash_slot())
        thread.start()
        thread.join(0.2)
        assert found == []
    thread.join(10)
    assert found == ["ann"]
