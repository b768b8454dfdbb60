"""Servers and their secrets: sealed, write-only, and within their owner's reach alone."""

from dataclasses import replace

import pytest
from flask import Flask
from sqlalchemy import select

from tests.world import World
from walissh.errors import ConflictError, InvalidError, NotFoundError, ShellError, StoreError
from walissh.react.circumstances import GateRule, HostGate
from walissh.react.host import HostKey
from walissh.store import gate_rules, hosts, people, people_roles, seal
from walissh.store.database import reading
from walissh.store.hosts import HostDraft
from walissh.store.models import AuditRow, CredentialRow

KEY = HostKey("ssh-ed25519", "AAAA", "SHA256:one")
OTHER = HostKey("ssh-ed25519", "BBBB", "SHA256:two")
DRAFT = HostDraft("db1", "db1.internal", "ops", secrets={"password": "correct horse"})


def test_a_secret_is_sealed_in_the_table_and_plain_for_the_driver(world: World) -> None:
    host = hosts.add(world.person.id, DRAFT)
    with reading() as session:
        (row,) = session.scalars(select(CredentialRow))
    assert "correct horse" not in row.sealed
    assert hosts.endpoint(host.id).password == "correct horse"
    assert "correct horse" not in repr(hosts.endpoint(host.id))


def test_a_secret_under_another_key_is_an_error_that_says_what_to_do(
    world: World, database_app: Flask
) -> None:
    host = hosts.add(world.person.id, DRAFT)
    database_app.config["WALISSH_SEAL_KEY"] = seal.derive("another key", "secrets at rest")
    with pytest.raises(StoreError, match=r"secret\.key"):
        hosts.endpoint(host.id)


def test_an_empty_secret_removes_it_and_a_missing_one_keeps_it(world: World) -> None:
    host = hosts.add(world.person.id, DRAFT)
    hosts.change(host.id, world.person.id, replace(DRAFT, secrets={}))
    assert hosts.secrets_of(host.id) == {"password"}
    hosts.change(host.id, world.person.id, replace(DRAFT, secrets={"password": None}))
    assert hosts.secrets_of(host.id) == frozenset()


def test_a_name_is_taken_once_per_owner(world: World) -> None:
    hosts.add(world.person.id, DRAFT)
    with pytest.raises(ConflictError):
        hosts.add(world.person.id, DRAFT)
    assert hosts.add(people.named("bob").id, DRAFT).name == "db1"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "a b"),
        ("name", ""),
        ("name", "-x"),
        ("address", "a;reboot"),
        ("address", "-oProxyCommand=x"),
        ("user", "a b"),
        ("user", "-l"),
        ("port", 0),
        ("port", 70_000),
        ("encoding", "klingon"),
        ("encoding", "idna"),
        ("encoding", "utf-7"),
        ("encoding", "unicode_escape"),
        ("encoding", "utf-16"),
        ("encoding", "base64"),
        ("user", "a\x1b[0m"),
        ("user", "a\u202eb"),
        ("stage", "a\nb"),
    ],
)
def test_a_bad_field_is_named(world: World, field: str, value: object) -> None:
    with pytest.raises(InvalidError):
        hosts.add(world.person.id, replace(DRAFT, **{field: value}))


def test_another_persons_host_does_not_exist(world: World) -> None:
    stranger = people.named("bob").id
    assert hosts.get(world.host.id, stranger) is None
    for attempt in (
        lambda: hosts.remove(world.host.id, stranger),
        lambda: hosts.trust(world.host.id, stranger),
        lambda: hosts.change(world.host.id, stranger, DRAFT),
    ):
        with pytest.raises(NotFoundError):
            attempt()


def test_a_host_cannot_jump_through_itself_or_a_strangers(world: World) -> None:
    hop = hosts.add(world.person.id, replace(DRAFT, name="hop", jump_id=world.host.id))
    with pytest.raises(InvalidError, match="itself"):
        hosts.change(
            world.host.id, world.person.id, HostDraft("web1", "127.0.0.1", "ops", jump_id=hop.id)
        )
    with pytest.raises(InvalidError, match="no such jump host"):
        hosts.add(people.named("bob").id, replace(DRAFT, jump_id=world.host.id))


def test_a_jump_host_in_use_cannot_be_removed(world: World) -> None:
    hosts.add(world.person.id, replace(DRAFT, name="inner", jump_id=world.host.id))
    with pytest.raises(ConflictError, match="inner"):
        hosts.remove(world.host.id, world.person.id)


def test_a_chain_of_hops_comes_whole(world: World) -> None:
    middle = hosts.add(world.person.id, replace(DRAFT, name="middle", jump_id=world.host.id))
    inner = hosts.add(world.person.id, replace(DRAFT, name="inner", jump_id=middle.id))
    endpoint = hosts.endpoint(inner.id)
    assert endpoint.jump is not None and endpoint.jump.jump is not None
    assert endpoint.jump.jump.host.name == "web1"


def test_the_key_seen_last_is_trusted_only_if_it_is_the_one_compared(world: World) -> None:
    with pytest.raises(ConflictError, match="no key has been seen"):
        hosts.trust(world.host.id, world.person.id)
    hosts.remember_seen_key(world.host.id, KEY)
    with pytest.raises(ConflictError, match="SHA256:two"):
        hosts.trust(world.host.id, world.person.id, "SHA256:two")
    assert hosts.trust(world.host.id, world.person.id, "SHA256:one").trusted_key == KEY


def test_seeing_another_key_changes_no_trust(world: World) -> None:
    hosts.remember_seen_key(world.host.id, KEY)
    hosts.trust(world.host.id, world.person.id)
    hosts.remember_seen_key(world.host.id, OTHER)
    found = hosts.get(world.host.id, world.person.id)
    assert found is not None and (found.trusted_key, found.seen_key) == (KEY, OTHER)


def test_another_address_makes_another_host_of_it_that_nobody_trusts(world: World) -> None:
    hosts.remember_seen_key(world.host.id, KEY)
    trusted = hosts.trust(world.host.id, world.person.id)
    moved = hosts.change(world.host.id, world.person.id, HostDraft("web1", "192.0.2.1", "ops"))
    assert moved.revision > trusted.revision and moved.trusted_key is None


def test_a_new_label_is_no_new_way_to_reach_it(world: World) -> None:
    draft = HostDraft("web1", "127.0.0.1", "ops", groups=("shop",), stage="production")
    assert hosts.change(world.host.id, world.person.id, draft).revision == world.host.revision


def test_the_demo_host_moves_with_each_start_and_is_trusted(world: World) -> None:
    first = hosts.register_demo(world.person.id, 1111, "private one", KEY)
    second = hosts.register_demo(world.person.id, 2222, "private two", OTHER)
    assert first.id == second.id and second.trusted_key == OTHER and second.port == 2222
    assert hosts.endpoint(second.id).private_key == "private two"


def test_the_demo_host_keeps_what_was_said_of_it(world: World) -> None:
    first = hosts.register_demo(world.person.id, 1111, "private one", KEY)
    told = {
        "gate": HostGate.READ_ONLY,
        "groups": ("home",),
        "stage": "lab",
        "encoding": "gbk",
    }
    draft = HostDraft(first.name, first.address, first.user, first.port, first.auth, **told)
    hosts.change(first.id, world.person.id, draft)
    second = hosts.register_demo(world.person.id, 2222, "private two", KEY)
    assert {name: getattr(second, name) for name in told} == told


def test_a_change_is_told_with_what_was_before_and_without_secrets(world: World) -> None:
    jump = hosts.add(world.person.id, HostDraft("gate", "192.0.2.1", "ops"))
    draft = HostDraft(
        "web1",
        "192.0.2.9",
        "root",
        2222,
        jump_id=jump.id,
        groups=("shop",),
        stage="lab",
        secrets={"password": "open sesame"},
    )
    hosts.change(world.host.id, world.person.id, draft)
    with reading() as session:
        rows = session.scalars(select(AuditRow).where(AuditRow.kind == "host_changed"))
        facts = rows.one().facts
    assert facts["before"] == {
        "identity": "ops@127.0.0.1:22 no trusted key",
        "address": "127.0.0.1",
        "port": 22,
        "user": "ops",
        "jump": "",
        "groups": [],
        "stage": "",
    }
    assert facts["identity"] == "root@192.0.2.9:2222 no trusted key"
    assert (facts["jump"], facts["groups"], facts["stage"]) == (jump.id, ["shop"], "lab")
    assert facts["secrets"] == ["password"] and "sesame" not in str(facts)


def test_only_an_admin_takes_a_host_out_of_a_group_that_a_rule_for_everyone_names(
    world: World,
) -> None:
    admin = people.first_admin()
    in_group = HostDraft("web1", "127.0.0.1", "ops", groups=("Shop", "mine"), stage="production")
    hosts.change(world.host.id, world.person.id, in_group)
    for group in ("shop", "PRODUCTION"):
        rule = GateRule("", admin.id, "deny", "touch *", group=group, everyone=True)
        gate_rules.make(rule)
    for draft in (replace(in_group, groups=("mine",)), replace(in_group, stage="")):
        with pytest.raises(InvalidError, match="Only an administrator"):
            hosts.change(world.host.id, world.person.id, draft)
    hosts.change(world.host.id, world.person.id, replace(in_group, groups=("SHOP",)))
    people_roles.change_role(world.person.id, "admin", actor=admin.id)
    out = hosts.change(world.host.id, world.person.id, replace(in_group, groups=(), stage=""))
    assert (out.groups, out.stage) == ((), "")


def test_how_the_last_contact_went_is_kept(world: World) -> None:
    hosts.record_check(world.host.id, ShellError("web1: no route", host="web1", phase="connect"))
    found = hosts.get(world.host.id, world.person.id)
    assert found is not None and found.check is not None
    assert (found.check.status, found.check.phase) == ("failed", "connect")


def test_an_edit_keeps_the_trust_in_a_key_only_at_the_same_place(world: World) -> None:
    hosts.remember_seen_key(world.host.id, KEY)
    hosts.trust(world.host.id, world.person.id)
    same = hosts.change(
        world.host.id, world.person.id, HostDraft("web1", "127.0.0.1", "other-user")
    )
    assert same.trusted_key == KEY and same.revision == world.host.revision + 2
