"""Health: what watchers and load balancers see."""

from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient

from walissh.config import Settings
from walissh.store import workers
from walissh.web import create_app


def test_the_web_process_says_that_it_lives(stranger: FlaskClient) -> None:
    response = stranger.get("/healthz")
    assert (response.status_code, response.json) == (200, {"status": "ok"})


def test_without_workers_it_is_not_ready_and_says_what_to_do(stranger: FlaskClient) -> None:
    response = stranger.get("/readyz")
    assert response.status_code == 503
    parts = response.json["parts"]
    assert (parts["database"], parts["redis"]) == ("ok", "ok")
    assert "worker" in parts["turns"]
    assert "worker" in parts["commands"]


def test_with_all_parts_it_is_ready(app: Flask, stranger: FlaskClient) -> None:
    with app.app_context():
        workers.beat("w1", "turns")
        workers.beat("w2", "commands")
    response = stranger.get("/readyz")
    assert (response.status_code, response.json["status"]) == (200, "ok")
    assert set(response.json["parts"].values()) == {"ok"}


def test_with_no_database_and_no_redis_it_still_answers(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path,
        secret_key="a key for tests only",
        database_url=f"sqlite:///{tmp_path}/nowhere/walissh.db",
        redis_url=f"unix://{tmp_path}/nobody.sock",
    )
    response = create_app(settings).test_client().get("/readyz")
    assert response.status_code == 503
    assert not any(each == "ok" for each in response.json["parts"].values())
    assert "DATABASE_URL" in response.json["parts"]["database"]
    assert "REDIS_URL" in response.json["parts"]["redis"]
