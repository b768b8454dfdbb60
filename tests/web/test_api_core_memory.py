"""The blocks of core memory over the JSON interface."""

from tests.web.conftest import Api
from walissh.store import core_memory


def put(api: Api, content: str, block: str = "me", **more: object) -> object:
    return api.call("PUT", f"/core-memory/{block}", json={"content": content, **more})


def proposed(api: Api, content: str, block: str = "fleet") -> int:
    with api.app.app_context():
        return core_memory.propose(api.person.id, block, content, "it came up").version


def test_blocks_are_there_before_anybody_wrote_in_them(api: Api) -> None:
    blocks = api.get("/core-memory").json["items"]
    assert [each["block"] for each in blocks] == ["me", "fleet", "rules"]
    assert {(each["content"], each["version"]) for each in blocks} == {("", 0)}


def test_a_block_is_written_on_top_of_what_was_read(api: Api) -> None:
    first = put(api, "I look after the shop", base_version=0)
    assert first.status_code == 200 and first.json["content"] == "I look after the shop"
    stale = put(api, "I look after the bank", base_version=0)
    assert stale.status_code == 409
    assert api.get("/core-memory/me").json["content"] == "I look after the shop"
    assert put(api, "the bank", base_version=first.json["version"]).json["content"] == "the bank"


def test_an_unknown_block_is_not_found(api: Api) -> None:
    assert api.get("/core-memory/nonsense").status_code == 404
    assert put(api, "x", "nonsense").status_code == 404
    assert api.get("/core-memory/nonsense/versions").status_code == 404


def test_a_proposal_counts_once_it_is_confirmed(api: Api) -> None:
    version = proposed(api, "db1 holds the orders")
    before = api.get("/core-memory/fleet").json
    assert before["content"] == ""
    assert [each["reason"] for each in before["proposals"]] == ["it came up"]
    confirmed = api.post("/core-memory/fleet/confirm", {"version": version})
    assert confirmed.json["content"] == "db1 holds the orders"
    assert confirmed.json["proposals"] == []
    assert api.post("/core-memory/fleet/confirm", {"version": version}).status_code == 409


def test_a_rejected_proposal_is_gone_from_the_waiting_ones(api: Api) -> None:
    version = proposed(api, "db1 holds the orders")
    assert api.post("/core-memory/fleet/reject", {"version": version}).status_code == 204
    assert api.get("/core-memory/fleet").json["proposals"] == []
    states = [each["state"] for each in api.get("/core-memory/fleet/versions").json["items"]]
    assert states == ["rejected"]


def test_an_earlier_version_comes_back_as_a_new_one(api: Api) -> None:
    first = put(api, "one").json["version"]
    put(api, "two")
    restored = api.post("/core-memory/me/restore", {"version": first})
    assert restored.json["content"] == "one" and restored.json["version"] == 3


def test_a_line_that_is_no_rule_is_said_to_be_none(api: Api) -> None:
    rules = "never restart mysql on db1\nthe moon is a friend of mine"
    (unbound,) = put(api, rules, "rules").json["unbound"]
    assert unbound["line"] == "the moon is a friend of mine" and "never" in unbound["why"]


def test_a_secret_or_too_much_is_refused(api: Api) -> None:
    assert put(api, "password: hunter2-Winter-2031!").status_code == 400
    assert put(api, "x" * 2001).status_code == 400


def test_nobody_meets_the_blocks_of_another(api: Api, other: Api) -> None:
    put(api, "I look after the shop")
    version = proposed(api, "db1 holds the orders")
    assert other.get("/core-memory/me").json["content"] == ""
    assert other.get("/core-memory/fleet").json["proposals"] == []
    assert other.post("/core-memory/fleet/confirm", {"version": version}).status_code == 404
    assert api.app.test_client().get("/api/v1/core-memory").status_code == 401


def test_a_block_is_never_deleted(api: Api) -> None:
    assert api.delete("/core-memory/me").status_code == 405


def test_an_earlier_version_is_erased_for_good(api: Api) -> None:
    for text in ("about herons", "about ships"):
        assert api.call("PUT", "/core-memory/me", json={"content": text}).status_code == 200
    assert api.post("/core-memory/me/erase", {"version": 1}).status_code == 204
    assert "herons" not in api.get("/core-memory/me/versions").text
    assert api.post("/core-memory/me/erase", {"version": 2}).status_code == 409
