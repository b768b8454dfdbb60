"""The settings of single sign-on: whole and well-formed, or the start stops in one line."""

import pytest

from walissh.config import Settings
from walissh.config_oidc import Oidc
from walissh.errors import SettingsError

BASE = {"WALISSH_OIDC_ISSUER": "https://id.test/realm/", "WALISSH_OIDC_CLIENT_ID": "walissh"}


def read(**values: str) -> Oidc | None:
    return Settings.from_env({"WALISSH_HOME": "/tmp/walissh-test", **values}).oidc


def test_without_an_issuer_there_is_no_provider() -> None:
    assert read() is None


def test_everybody_is_a_viewer_unless_the_settings_say_more() -> None:
    found = read(**BASE)
    assert found == Oidc("https://id.test/realm", "walissh")
    assert found.role_of(frozenset({"any"})) == "viewer"


@pytest.mark.parametrize(
    ("roles", "pairs"),
    [
        ("ops=operator, root = admin", (("ops", "operator"), ("root", "admin"))),
        ("cn=ops,dc=x=operator; b=viewer", (("cn=ops,dc=x", "operator"), ("b", "viewer"))),
        ("urn:x:ops=operator,", (("urn:x:ops", "operator"),)),
    ],
)
def test_groups_are_read_as_people_write_them(
    roles: str, pairs: tuple[tuple[str, str], ...]
) -> None:
    found = read(**BASE, WALISSH_OIDC_ROLES=roles)
    assert found is not None
    assert found.roles == pairs


def test_the_highest_of_several_roles_holds() -> None:
    roles = "a=viewer,b=admin,c=operator"
    found = read(**BASE, WALISSH_OIDC_ROLES=roles, WALISSH_OIDC_OTHERS="refuse")
    assert found is not None
    assert found.role_of(frozenset("abc")) == "admin"
    assert found.role_of(frozenset("ac")) == "operator"
    assert found.role_of(frozenset("x")) == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WALISSH_OIDC_ISSUER", "http://id.test"),
        ("WALISSH_OIDC_ISSUER", "id.test"),
        ("WALISSH_OIDC_ISSUER", "https://"),
        ("WALISSH_OIDC_ISSUER", "https://id.test:port"),
        ("WALISSH_OIDC_ISSUER", "https://id.test/?a=b"),
        ("WALISSH_OIDC_CLIENT_ID", ""),
        ("WALISSH_OIDC_ROLES", "ops"),
        ("WALISSH_OIDC_ROLES", "ops=king"),
        ("WALISSH_OIDC_ROLES", "=admin"),
        ("WALISSH_OIDC_OTHERS", "king"),
    ],
)
def test_a_malformed_value_is_named_in_one_line(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as caught:
        read(**{**BASE, name: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["CLIENT_ID", "CLIENT_SECRET", "ROLES", "CLAIM", "OTHERS"])
def test_a_setting_without_its_issuer_is_not_overlooked(name: str) -> None:
    with pytest.raises(SettingsError, match="WALISSH_OIDC_ISSUER"):
        read(**{f"WALISSH_OIDC_{name}": "x"})


def test_the_secret_is_in_no_text_of_the_settings() -> None:
    assert "sesame" not in repr(read(**BASE, WALISSH_OIDC_CLIENT_SECRET="sesame"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WALISSH_PROXY", "-1"),
        ("WALISSH_PROXY", "yes"),
        ("WALISSH_IDLE_HOURS", "0"),
        ("WALISSH_SIGN_IN_DAYS", "x"),
    ],
)
def test_a_number_that_is_none_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        read(**{name: value})
