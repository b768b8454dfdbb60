"""Importing an OpenSSH configuration on the page."""

import io

from flask import Flask

from tests.web.forms import Browser, browser_of
from walissh.react.host import Host
from walissh.store import hosts

CONFIG = """
Host bastion
  HostName 203.0.113.7
  User ops
Host web*
  User deploy
  Port 2222
  ProxyJump bastion
Host web1
  HostName 10.0.0.11
Host deep
  HostName 10.9.9.9
  User deploy
  ProxyJump edge@198.51.100.4:2200,bastion
"""


def of(browser: Browser) -> dict[str, Host]:
    assert browser.person is not None
    with browser.app.app_context():
        return {host.name: host for host in hosts.within_reach(browser.person.id)}


def test_hosts_patterns_and_jumps_are_read(app: Flask) -> None:
    browser = browser_of(app, "ann")
    assert browser.post("/hosts/import", text=CONFIG).location == "/hosts"
    found = of(browser)
    web1 = found["web1"]
    assert (web1.address, web1.user, web1.port) == ("10.0.0.11", "deploy", 2222)
    assert web1.jump_id == found["bastion"].id
    assert (found["198.51.100.4"].user, found["198.51.100.4"].port) == ("edge", 2200)
    assert "5 hosts were added." in browser.get("/hosts").text


def test_a_file_does_as_well(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.post("/hosts/import", file=(io.BytesIO(b"Host a\n User me\n"), "config"), text="")
    assert set(of(browser)) == {"a"}


def test_names_that_are_taken_are_left_out_and_told(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.host("a", address="192.0.2.1")
    browser.post("/hosts/import", text="Host a b\n User me\n")
    assert of(browser)["a"].address == "192.0.2.1"
    assert "1 host was added. Left out: a" in browser.get("/hosts").text


def test_include_reads_no_file_of_the_server(app: Flask) -> None:
    browser = browser_of(app, "ann")
    response = browser.post("/hosts/import", text="Include /etc/passwd\nHost a\n User me\n")
    assert response.status_code == 303
    assert set(of(browser)) == {"a"}


def test_hosts_that_jump_through_each_other_are_refused(app: Flask) -> None:
    browser = browser_of(app, "ann")
    text = "Host a\n User me\n ProxyJump b\nHost b\n User me\n ProxyJump a\nHost c\n User me\n"
    browser.post("/hosts/import", text=text)
    assert set(of(browser)) == {"c"}
    assert "Its jump hosts lead in a circle: a &gt; b &gt; a." in browser.get("/hosts").text


def test_a_broken_text_comes_back_with_what_is_wrong(app: Flask) -> None:
    response = browser_of(app, "ann").post("/hosts/import", text="Host a\n  Port many\n")
    assert response.status_code == 400
    assert "line 2" in response.text and "Port many" in response.text
    assert "/tmp/" not in response.text


def test_a_text_without_hosts_is_refused(app: Flask) -> None:
    assert browser_of(app, "ann").post("/hosts/import", text="# nothing").status_code == 400


def test_a_host_without_a_user_is_left_out_unless_one_is_given(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.post("/hosts/import", text="Host a\n Port 2222\n")
    assert of(browser) == {}
    assert "No user is named for a." in browser.get("/hosts").text
    browser.post("/hosts/import", text="Host a\n Port 2222\n", user="deploy")
    assert of(browser)["a"].user == "deploy"


def test_a_text_that_is_too_long_is_refused_and_not_cut(app: Flask) -> None:
    browser = browser_of(app, "ann")
    long = "Host a\n User me\n" + "# nothing\n" * 30_000
    pasted = browser.post("/hosts/import", text=long)
    sent = browser.post("/hosts/import", file=(io.BytesIO(long.encode()), "config"), text="")
    many = browser.post("/hosts/import", text="Host " + " ".join(f"h{n}" for n in range(501)))
    assert [each.status_code for each in (pasted, sent, many)] == [400, 400, 400]
    assert "256 KiB" in pasted.text and "256 KiB" in sent.text and "at most 500" in many.text
    assert of(browser) == {}


def test_a_stranger_imports_nothing(app: Flask) -> None:
    assert Browser(app, app.test_client()).post("/hosts/import", text=CONFIG).status_code == 303


def test_what_was_not_heeded_is_told_with_the_hosts_it_concerns(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.post(
        "/hosts/import",
        text="Host a\n User me\n ProxyCommand nc -x proxy %h %p\nHost b\n User me\n",
    )
    page = browser.get("/hosts").text
    assert "ProxyCommand was not used: check how these are reached: a." in page
    assert "Next: give each its key, then test it and trust its host key." in page
