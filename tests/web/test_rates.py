"""A stranger gets so many tries, per name and per address, with and without Redis."""

from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from walissh.config import Settings
from walissh.store import people
from walissh.web import create_app, rates

TRIES = 3
FEW = f"{TRIES} per 10 minute"


def tried(app: Flask, name: str, password: str = "a wrong one", **options: str) -> TestResponse:
    app.config.update(WTF_CSRF_ENABLED=False, **{rates.PER_NAME_KEY: FEW})
    return app.test_client().post(
        "/sign-in", data={"name": name, "password": password}, headers=options
    )


@pytest.fixture
def zoe(app: Flask) -> str:
    with app.app_context():
        people.set_password(people.named("zoe").id, "correct horse")
    return "zoe"


def test_a_name_is_tried_so_often_and_then_even_the_right_password_waits(
    app: Flask, zoe: str
) -> None:
    for _ in range(TRIES):
        assert tried(app, zoe).status_code == 403
    refused = tried(app, zoe, "correct horse")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 600
    assert "Too many tries to sign in." in refused.text
    assert "登录尝试过多。" in tried(app, zoe, **{"Accept-Language": "zh"}).text
    assert tried(app, "bob").status_code == 403, "another name is another count"


def test_the_right_password_forgets_the_tries_before_it(app: Flask, zoe: str) -> None:
    for _ in range(2):
        for _ in range(TRIES - 1):
            assert tried(app, zoe).status_code == 403
        assert tried(app, zoe, "correct horse").status_code == 303


@pytest.mark.parametrize("path", ["/sign-in/made-up", "/oidc/callback"])
def test_an_address_gets_so_many_tries_by_links_and_callbacks(app: Flask, path: str) -> None:
    app.config[rates.PER_ADDRESS_KEY] = FEW
    client = app.test_client()
    told = [client.head(path).status_code for _ in range(TRIES)]
    assert 429 not in told
    assert client.head(path).status_code == 429
    assert client.get("/sign-in").status_code == 200, "looking at the form is no try"


def test_without_redis_the_tries_are_counted_in_memory(
    memory_dir: Path, empty_database: Path, tmp_path: Path
) -> None:
    (tmp_path / "walissh.db").write_bytes(empty_database.read_bytes())
    nobody = "redis://127.0.0.1:9/0"
    app = create_app(Settings(home=tmp_path, secret_key="a key for tests", redis_url=nobody))
    app.testing = True
    told = [tried(app, "zoe").status_code for _ in range(TRIES + 1)]
    assert told == [403] * TRIES + [429]


def test_the_embedded_redis_counts_too(app: Flask, redis_url: str) -> None:
    assert redis_url.startswith("unix://")
    tried(app, "zoe")
    assert not app.extensions[rates.EXTENSION]._storage_dead
