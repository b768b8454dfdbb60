"""Reading ProxyJump, and adding the hosts of a configuration in the right order."""

import pytest
from flask import Flask

from walissh import host_import
from walissh.errors import InvalidError
from walissh.host_import import Hop, Imported
from walissh.react.host import Host
from walissh.ssh import config, keys
from walissh.store import hosts, people
from walissh.store.hosts import MAX_JUMPS, HostDraft


def imported(text: str, default_user: str = "me") -> tuple[Imported, dict[str, Host]]:
    ann = people.named("ann")
    result = host_import.add_all(ann.id, config.parse(text), default_user)
    return result, {host.name: host for host in hosts.within_reach(ann.id)}


def way(found: dict[str, Host], name: str) -> list[str]:
    """Return the names of the hosts on the way to *name*, nearest first."""
    names = {host.id: host.name for host in found.values()}
    stops, host = [name], found[name]
    while host.jump_id:
        host = found[names[host.jump_id]]
        stops.append(host.name)
    return stops[::-1]


@pytest.mark.parametrize(
    ("text", "hop"),
    [
        ("bastion", Hop("bastion", "", None)),
        ("ops@bastion:2222", Hop("bastion", "ops", 2222)),
        ("ssh://ops@bastion:2222", Hop("bastion", "ops", 2222)),
        ("ssh://bastion/", Hop("bastion", "", None)),
        ("ops@[2001:db8::7]:2222", Hop("2001:db8::7", "ops", 2222)),
        ("ssh://[::1]", Hop("::1", "", None)),
        ("2001:db8::7", Hop("2001:db8::7", "", None)),
    ],
)
def test_a_stop_is_read_as_ssh_reads_it(text: str, hop: Hop) -> None:
    assert list(host_import.hops(text)) == [hop]


@pytest.mark.parametrize("text", ["a b", "@h", "h:", "h:x", "[::1", "ssh://"])
def test_what_is_no_stop_is_refused(text: str) -> None:
    with pytest.raises(InvalidError):
        list(host_import.hops(text))


def test_a_chain_is_gone_through_in_its_order(database_app: Flask) -> None:
    _, found = imported("Host web\n ProxyJump ssh://ops@edge:2200,[2001:db8::7]:22\n")
    assert way(found, "web") == ["edge", "2001-db8-7", "web"]
    assert found["2001-db8-7"].address == "2001:db8::7"
    assert (found["edge"].user, found["edge"].port) == ("ops", 2200)


def test_a_later_stop_is_reached_through_the_one_before_it(database_app: Flask) -> None:
    text = "Host bastion\n HostName 192.0.2.1\nHost deep\n ProxyJump edge,bastion\n"
    _, found = imported(text)
    assert way(found, "bastion") == ["bastion"]
    assert way(found, "deep") == ["edge", "bastion-via-edge", "deep"]
    assert found["bastion-via-edge"].address == "192.0.2.1"


def test_another_user_on_a_known_stop_is_another_host(database_app: Flask) -> None:
    text = "Host bastion\n User ops\nHost web\n ProxyJump root@bastion\n"
    _, found = imported(text)
    assert found["bastion"].user == "ops"
    assert found[way(found, "web")[0]].user == "root"


def test_the_same_stop_is_stored_once(database_app: Flask) -> None:
    result, found = imported("Host a b\n ProxyJump ops@192.0.2.9,me@edge\n")
    assert sorted(result.added) == sorted(found) == ["192.0.2.9", "a", "b", "edge"]


def test_a_stored_host_is_a_stop_as_it_is(database_app: Flask) -> None:
    ann = people.named("ann")
    hosts.add(ann.id, HostDraft("bastion", "192.0.2.5", "root"))
    result, found = imported("Host bastion\n HostName 192.0.2.6\nHost web\n ProxyJump bastion\n")
    assert result.left_out == [("bastion", "There is a host of this name.")]
    assert way(found, "web") == ["bastion", "web"]
    assert found["bastion"].address == "192.0.2.5"


def test_a_circle_is_named_as_one_and_stops_nobody_else(database_app: Flask) -> None:
    text = "Host a\n ProxyJump b\nHost b\n ProxyJump a\nHost me\n ProxyJump me\nHost good\n"
    result, found = imported(text)
    assert set(found) == {"good"}
    assert dict(result.left_out)["a"] == "Its jump hosts lead in a circle: a > b > a."
    assert dict(result.left_out)["me"] == "Its jump hosts lead in a circle: me > me."


def test_a_very_long_row_of_jumps_is_refused_in_words(database_app: Flask) -> None:
    text = "".join(f"Host h{n}\n ProxyJump h{n + 1}\n" for n in range(400))
    result, _ = imported(text)
    assert result.left_out[0] == ("h0", f"More than {MAX_JUMPS} jump hosts in a row.")


def test_keys_are_read_only_when_there_is_a_reader(database_app: Flask) -> None:
    listed = config.parse("Host a\n IdentityFile /keys/a\nHost b\n IdentityFile /keys/b\n")
    pair = keys.generate()
    ann, bob = people.named("ann"), people.named("bob")

    def read(path: str) -> str:
        if path == "/keys/b":
            raise FileNotFoundError(2, "No such file or directory", path)
        return pair.private

    result = host_import.add_all(ann.id, listed, "me", read)
    host_import.add_all(bob.id, listed, "me")
    stored = {each.name: hosts.secrets_of(each.id) for each in hosts.within_reach(ann.id)}
    assert stored == {"a": {"key"}, "b": frozenset()}
    assert [name for name, _ in result.keys] == ["b"]
    assert not any(hosts.secrets_of(each.id) for each in hosts.within_reach(bob.id))
