"""What comes in wrong is refused in words that name the place."""

import base64
import json
from typing import Any

import pytest

from tests.web.conftest import Api


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/sessions", {"title": 3}, "title"),
        ("/sessions", {"title": "a\0b"}, "title"),
        ("/sessions", {"title": "x" * 201}, "title"),
        ("/sessions", {"colour": "red"}, "colour"),
        ("/sessions", {"host_ids": "x"}, "host_ids"),
        ("/sessions", {"host_ids": [1]}, "host_ids.0"),
        ("/sessions", {"host_ids": ["nobody"]}, "host_ids"),
        ("/hosts", {"address": "h", "user": "u"}, "name"),
        ("/hosts", {"name": "a b", "address": "h", "user": "u"}, "name"),
        ("/hosts", {"name": "a", "address": "h\0", "user": "u"}, "address"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "port": "22"}, "port"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "port": True}, "port"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "port": 0}, "port"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "port": 10**30}, "port"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "auth": "magic"}, "auth"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "key": "no key"}, "key"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "jump": "nobody"}, "jump"),
        ("/hosts", {"name": "a", "address": "h", "user": "u", "encoding": "runes"}, "encoding"),
    ],
)
def test_a_wrong_field_is_named(api: Api, path: str, body: dict[str, Any], field: str) -> None:
    response = api.post(path, body)
    assert response.status_code == 400, response.text
    assert response.json["field"] == field
    assert response.json["detail"].endswith(".")


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"\xff\xfe{}",
        b'{"title": "\xc3\x28"}',
        b'{"title": "\\ud800"}',
        b"[" * 100_000,
        b"[]",
        b"null",
        b'"x"',
        b"\0",
    ],
)
def test_a_body_that_is_no_json_object_is_refused(api: Api, data: bytes) -> None:
    response = api.call("POST", "/sessions", data=data)
    assert response.status_code == 400
    assert response.json["detail"].startswith("The body ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("x" * 1_000_000, "1,000,000 characters"),
        ("\U0001f600" * 1_000_000, "1,000,000 characters"),
    ],
)
def test_a_message_of_a_bad_size_gets_a_sentence(api: Api, content: str, words: str) -> None:
    session = api.made("/sessions")
    data = json.dumps({"content": content})
    response = api.call("POST", f"/sessions/{session['id']}/messages", data=data)
    assert response.status_code == 400
    assert response.json["field"] == "content"
    assert words in response.json["detail"]
    assert api.get(f"/sessions/{session['id']}/messages").json["items"] == []


def test_a_message_with_nul_is_refused_and_not_stored(api: Api) -> None:
    session = api.made("/sessions")
    response = api.post(f"/sessions/{session['id']}/messages", {"content": "a\0b"})
    assert (response.status_code, response.json["field"]) == (400, "content")
    assert api.get(f"/sessions/{session['id']}/messages").json["items"] == []


def test_a_body_beyond_all_limits_is_a_413(api: Api) -> None:
    response = api.call("POST", "/sessions", data=b" " * (17 * 1024 * 1024))
    assert response.status_code == 413
    assert response.content_type == "application/problem+json"


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "limit=-1", "limit=1e3"])
def test_a_page_size_out_of_range_is_refused(api: Api, query: str) -> None:
    response = api.get(f"/sessions?{query}")
    assert (response.status_code, response.json["field"]) == (400, "limit")


@pytest.mark.parametrize("cursor", ["x", "!!", "W10", "bnVsbA", "WzFd", "eyJhIjoxfQ", "W10=", "é"])
@pytest.mark.parametrize("path", ["/sessions", "/hosts"])
def test_a_made_up_cursor_is_refused(api: Api, path: str, cursor: str) -> None:
    response = api.get(f"{path}?cursor={cursor}")
    assert (response.status_code, response.json["field"]) == (400, "cursor")


def test_a_search_with_nul_is_refused(api: Api) -> None:
    response = api.get("/sessions?q=a%00b")
    assert (response.status_code, response.json["field"]) == (400, "q")


@pytest.mark.parametrize("path", ["/sessions/%00", "/sessions/a%2Fb", "/turns/" + "a" * 65])
def test_what_cannot_be_an_id_is_not_found(api: Api, path: str) -> None:
    assert api.get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("/sessions", ["0001-01-01T00:00:00+14:00", "id"]),
        ("/sessions", ["9999-12-31T23:59:59-14:00", "id"]),
        ("/sessions", ["2024-01-01T00:00:00+00:00", "\ud800"]),
        ("/hosts", ["\ud800"]),
        ("/hosts", ["a\0"]),
    ],
)
def test_a_cursor_that_no_database_takes_is_refused(api: Api, path: str, parts: list[str]) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")
    response = api.get(f"{path}?cursor={cursor}")
    assert (response.status_code, response.json["field"]) == (400, "cursor")
