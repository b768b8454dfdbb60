"""A server that others can reach answers nobody before an admin has a password."""

import pytest
from flask import Flask

from walissh.store import people
from walissh.store.database import writing
from walissh.store.models import PersonRow

PASSWORD = "correct horse"


class Connection:
    """What gunicorn hands over of a connection, come in at *address*."""

    def __init__(self, address: object) -> None:
        self._address = address

    def getsockname(self) -> object:
        return self._address

    def settimeout(self, seconds: float) -> None:
        """Take any."""


def status(app: Flask, address: object, path: str = "/sign-in") -> int:
    return ask(app, address, path)[0]


def ask(app: Flask, address: object, path: str = "/sign-in") -> tuple[int, str]:
    given = {"gunicorn.socket": Connection(address)}
    told = app.test_client().get(path, environ_overrides=given)
    return told.status_code, told.text


@pytest.mark.parametrize("path", ["/sign-in", "/", "/api/v1/sessions", "/healthz", "/static/x"])
def test_without_a_password_nothing_is_answered_to_others(app: Flask, path: str) -> None:
    code, words = ask(app, ("192.0.2.7", 8022), path)
    assert code == 503
    assert "192.0.2.7:8022 can be reached from other machines" in words
    assert "walissh passwd admin" in words


@pytest.mark.parametrize("address", [("127.0.0.1", 8022), ("::1", 8022, 0, 0), "/run/w.sock"])
def test_this_machine_is_answered(app: Flask, address: object) -> None:
    assert status(app, address) == 200


def test_with_a_password_of_an_admin_others_are_answered_from_then_on(app: Flask) -> None:
    with app.app_context():
        admin = people.first_admin()
        people.set_password(admin.id, PASSWORD)
    assert status(app, ("192.0.2.7", 8022)) == 200
    with app.app_context(), writing() as session:
        session.get_one(PersonRow, admin.id).password_hash = None
    assert status(app, ("::", 8022, 0, 0)) == 200
