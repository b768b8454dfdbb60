"""Settings are read once; a bad one stops the start with a line that says what is allowed."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from walissh import config_oidc
from walissh.config import MAX_SOCKET_BYTES, Settings
from walissh.errors import SettingsError

README = Path(__file__).parent.parent / "README.md"
HOME = {"WALISSH_HOME": "/tmp/walissh-test"}


def read(**values: str) -> Settings:
    return Settings.from_env({**HOME, **values})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WALISSH_BRAIN", "gpt"),
        ("WALISSH_LANG", "fr"),
        ("WALISSH_TEMPERATURE", "warm"),
        ("WALISSH_TEMPERATURE", "nan"),
        ("WALISSH_TEMPERATURE", "3"),
        ("WALISSH_BIND", "8022"),
        ("WALISSH_BIND", "127.0.0.1:0"),
        ("WALISSH_BIND", "127.0.0.1:99999"),
        ("WALISSH_COMMAND_LIMIT_S", "0"),
        ("WALISSH_COMMAND_LIMIT_S", "1h"),
        ("WALISSH_REFINE_TOKENS", "-1"),
        ("WALISSH_REFINE_TOKENS", "some"),
        ("DATABASE_URL", "mysql://x"),
        ("REDIS_URL", "127.0.0.1:6379"),
        ("OPENAI_BASE_URL", "localhost:8000"),
        ("WALISSH_SECRET_KEY", "short"),
    ],
)
def test_a_malformed_value_is_named_in_one_line(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(**{name: value})
    assert name in str(caught.value) and "\n" not in str(caught.value)


def test_a_refused_database_url_does_not_repeat_its_password() -> None:
    with pytest.raises(SettingsError) as caught:
        read(DATABASE_URL="mysql://ann:hunter2@db/x")
    assert "hunter2" not in str(caught.value)


def test_the_model_has_two_names_and_the_own_one_wins() -> None:
    assert read(MODEL_NAME="a").model == "a"
    assert read(MODEL_NAME="a", WALISSH_MODEL="b").model == "b"


@pytest.mark.parametrize(
    ("values", "uses"),
    [
        ({}, False),
        ({"OPENAI_API_KEY": "k"}, True),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1"}, True),
        ({"OPENAI_API_KEY": "k", "WALISSH_BRAIN": "offline"}, False),
        ({"WALISSH_BRAIN": "openai"}, True),
    ],
)
def test_the_brain_follows_key_and_base_url_unless_told(values: dict[str, str], uses: bool) -> None:
    assert read(**values).uses_openai is uses


@pytest.mark.parametrize(("given", "tokens"), [("", 0), ("0", 0), ("4000", 4000)])
def test_memories_are_refined_only_within_given_tokens(given: str, tokens: int) -> None:
    assert read(WALISSH_REFINE_TOKENS=given).refine_tokens == tokens


def test_secrets_are_not_in_the_repr() -> None:
    settings = read(OPENAI_API_KEY="k-1234", WALISSH_SECRET_KEY="s" * 20)
    assert "k-1234" not in repr(settings) and "s" * 20 not in repr(settings)


def test_a_long_home_gives_a_short_socket() -> None:
    settings = read(WALISSH_HOME="/tmp/" + "long/" * 40)
    assert len(bytes(settings.redis_socket)) <= MAX_SOCKET_BYTES


def test_postgresql_urls_name_the_installed_driver() -> None:
    url = read(DATABASE_URL="postgresql://u@h/d").sqlalchemy_url
    assert url == "postgresql+psycopg://u@h/d"


def test_a_dotenv_file_is_read_and_the_environment_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("WALISSH_MODEL=from-file\nWALISSH_STEP_LIMIT=7\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WALISSH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WALISSH_MODEL", "from-environment")
    settings = Settings.from_env()
    assert (settings.model, settings.step_limit) == ("from-environment", 7)


def test_an_ipv6_address_keeps_its_port() -> None:
    settings = read(WALISSH_BIND="[::1]:9000")
    assert (settings.host, settings.port) == ("::1", 9000)


def test_a_relative_database_file_is_meant_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url = read(DATABASE_URL="sqlite:///some.db?timeout=5").sqlalchemy_url
    assert url == f"sqlite:///{tmp_path}/some.db?timeout=5"


def test_the_readme_tells_of_every_setting() -> None:
    told = set(re.findall(r"`([A-Z_]{5,})`", README.read_text(encoding="utf-8")))
    assert {each for each in vars(config_oidc).values() if str(each).startswith("WALISSH_")} <= told
    for each in fields(Settings):
        plain = each.name.upper()
        assert each.name == "oidc" or {plain, f"WALISSH_{plain}"} & told, each.name
