"""The things a question names."""

import pytest

from walissh.brain import asked, question
from walissh.brain.playbook import catalogue


def test_a_url_is_read_in_parts() -> None:
    (address,) = asked.things("http://till.example:8081/pay/now?x=1 打不开，为什么？").urls
    assert (address.scheme, address.host, address.port) == ("http", "till.example", 8081)
    assert address.path == "/pay/now"


@pytest.mark.parametrize(("url", "port"), [("https://a.example", 443), ("http://a.example", 80)])
def test_a_url_without_a_port_has_that_of_its_scheme(url: str, port: int) -> None:
    (address,) = asked.things(f"{url} is slow").urls
    assert (address.port, address.path) == (port, "/")


@pytest.mark.parametrize("mark", [".", "，", "。", "？", ")", ","])
def test_what_ends_a_sentence_is_no_part_of_the_url(mark: str) -> None:
    (address,) = asked.things(f"why is https://a.example/b{mark} slow").urls
    assert address.url == "https://a.example/b"


def test_a_broken_url_is_none() -> None:
    assert asked.things("http://[::1 and http://a.example:99999999/").urls == ()


def test_domains_addresses_and_paths_are_told_apart() -> None:
    named = asked.things("db7.example (192.0.2.9) writes /srv/till/day.log and till.conf")
    assert named.domains == ("db7.example",)
    assert named.addresses == ("192.0.2.9",)
    assert named.paths == ("/srv/till/day.log",)


def test_statuses_are_not_sizes_ports_or_counts() -> None:
    assert asked.things("it answers 502 and 404").statuses == (502, 404)
    assert asked.things("500 MB in 450 ms on port 8500, 500 个").statuses == ()


def test_names_with_a_dash_are_names_and_versions_are_not() -> None:
    named = asked.things("stock-feed 2.4.1 was released as v2.4, till_sync not")
    assert named.names == ("stock-feed", "till_sync")
    assert named.versions == ("2.4.1", "v2.4")


def test_chinese_nouns_give_the_words_that_logs_use() -> None:
    words = asked.things("订单和支付服务一直报错").words
    assert {"order", "pay"} <= set(words)


def test_plain_words_of_a_question_name_no_service() -> None:
    assert asked.things("why does it not work any more?").words == ()
    assert "till" in asked.things("why does the till not work?").words


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("/var/log/till/till.log", 1),
        ("/opt/still/run.sh", 0),
        ("tills are closed", 1),
        ("/srv/order-feed", 1),
        ("", 0),
    ],
)
def test_a_word_stands_for_what_begins_with_it(text: str, count: int) -> None:
    assert asked.concern(text, ["till", "orders"]) == count


def test_expressions_read_lists_and_mappings() -> None:
    given = asked.things("https://a.example answers 502").as_names()
    assert given["statuses"] == [502]
    assert given["urls"] == [
        {
            "url": "https://a.example",
            "scheme": "https",
            "host": "a.example",
            "port": 443,
            "path": "/",
        }
    ]
    assert given["known_ports"] == []


def test_ports_are_those_that_the_question_is_known_to_name() -> None:
    understood = question.understand("端口 8090 和 port 9000 在 2031 年", [], catalogue([]))
    assert understood.things.ports == (8090, 9000)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("www.shop.internal/account too many redirects", "http://www.shop.internal/account"),
        ("访问shop.example:8443/pay打不开", "http://shop.example:8443/pay"),
        ("https://shop.example/pay is slow", "https://shop.example/pay"),
    ],
)
def test_an_address_without_its_scheme_is_one(text: str, url: str) -> None:
    assert [each.url for each in asked.things(text).urls] == [url]


@pytest.mark.parametrize("text", ["see app.conf/old", "/var/www.old/x", "mail a@b.example/c"])
def test_what_only_looks_like_an_address_is_none(text: str) -> None:
    assert asked.things(text).urls == ()
