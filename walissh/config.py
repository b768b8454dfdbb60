"""Settings, read once from the environment and an optional ``.env`` file."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, cast, get_args
from urllib.parse import urlsplit

from dotenv import dotenv_values

from walissh import config_oidc
from walissh.config_oidc import Oidc
from walissh.errors import SettingsError

Brain = Literal["auto", "openai", "offline"]
Lang = Literal["zh", "en"]
Strategy = Literal["sliding", "lru", "summary", "hybrid"]

DEFAULT_MODEL = "gpt-5-mini"
MAX_SOCKET_BYTES = 107
SQLITE_FILE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. Times carry their unit in the name; "" means not set.

    *proxy* is how many proxies in front of us are trusted to say who asks and how.
    """

    home: Path
    bind: str = "127.0.0.1:8022"
    database_url: str = ""
    redis_url: str = ""
    openai_api_key: str = field(default="", repr=False)
    openai_base_url: str = ""
    model: str = DEFAULT_MODEL
    temperature: float | None = 0.0
    brain: Brain = "auto"
    lang: Lang | None = None
    secret_key: str = field(default="", repr=False)
    command_limit_s: int = 3600
    approval_limit_s: int = 24 * 3600
    output_limit_mb: int = 256
    first_token_limit_s: int = 60
    step_limit: int = 30
    turn_threads: int = 8
    command_threads: int = 16
    web_threads: int = 256
    refine_tokens: int = 0
    context_tokens: int = 0
    context_strategy: Strategy = "hybrid"
    summary_chars: int = 80
    proxy: int = 0
    idle_hours: int = 72
    sign_in_days: int = 14
    oidc: Oidc | None = None

    @property
    def host(self) -> str:
        """The address to listen on, without brackets."""
        return self.bind.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        """The TCP port to listen on."""
        return int(self.bind.rpartition(":")[2])

    @property
    def uses_openai(self) -> bool:
        """Tell whether questions go to a model server rather than to the playbooks."""
        if self.brain == "auto":
            return bool(self.openai_api_key or self.openai_base_url)
        return self.brain == "openai"

    @property
    def redis_socket(self) -> Path:
        """The embedded server's private socket; short, for the kernel allows 107 bytes."""
        path = self.home / "redis.sock"
        if len(os.fsencode(path)) <= MAX_SOCKET_BYTES:
            return path
        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:12]
        return Path("/tmp") / f"walissh-{os.getuid()}-{digest}" / "redis.sock"  # noqa: S108  made 0700

    @property
    def redis_address(self) -> str:
        """The URL of the shared Redis, or of the embedded one."""
        if self.redis_url.startswith("valkey://"):  # the client knows the older name only
            return "redis://" + self.redis_url.removeprefix("valkey://")
        return self.redis_url or f"unix://{self.redis_socket}"

    @property
    def sqlalchemy_url(self) -> str:
        """The database's URL with its driver named; SQLite in home by default."""
        url = self.database_url or f"sqlite:///{self.home / 'walissh.db'}"
        for short in ("postgresql://", "postgres://"):
            if url.startswith(short):
                return "postgresql+psycopg://" + url.removeprefix(short)
        file, mark, options = url.removeprefix(SQLITE_FILE).partition("?")
        if url.startswith(SQLITE_FILE) and file:
            # from the working folder, as a person means it; Flask has a folder of its own
            return f"{SQLITE_FILE}{Path(file).absolute()}{mark}{options}"
        return url

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the settings; the environment wins over ``.env`` here and in home.

        Raises SettingsError with one line that names the variable, its value and what is
        allowed.
        """
        real = dict(os.environ if environ is None else environ)
        values = {**_dotenv(Path(".env")), **real} if environ is None else real
        home = Path(values.get("WALISSH_HOME") or "~/.walissh").expanduser().absolute()
        if environ is None:
            values = {**_dotenv(home / ".env"), **values}
        return cls(
            home=home,
            bind=_bind(values),
            database_url=_url(
                values, "DATABASE_URL", "sqlite", "postgresql", "postgres", "postgresql+psycopg"
            ),
            redis_url=_url(values, "REDIS_URL", "redis", "rediss", "unix", "valkey"),
            openai_api_key=values.get("OPENAI_API_KEY", ""),
            openai_base_url=_url(values, "OPENAI_BASE_URL", "http", "https"),
            model=values.get("WALISSH_MODEL") or values.get("MODEL_NAME") or DEFAULT_MODEL,
            temperature=_temperature(values),
            brain=cast(Brain, _choice(values, "WALISSH_BRAIN", get_args(Brain)) or "auto"),
            lang=cast("Lang | None", _choice(values, "WALISSH_LANG", get_args(Lang)) or None),
            secret_key=_secret_key(values),
            command_limit_s=_whole(values, "command_limit_s"),
            approval_limit_s=_whole(values, "approval_limit_s"),
            output_limit_mb=_whole(values, "output_limit_mb"),
            first_token_limit_s=_whole(values, "first_token_limit_s"),
            step_limit=_whole(values, "step_limit"),
            turn_threads=_whole(values, "turn_threads"),
            command_threads=_whole(values, "command_threads"),
            web_threads=_whole(values, "web_threads"),
            refine_tokens=_whole(values, "refine_tokens", least=0),
            context_tokens=_whole(values, "context_tokens", least=0),
            context_strategy=cast(
                Strategy,
                _choice(values, "WALISSH_CONTEXT_STRATEGY", get_args(Strategy)) or "hybrid",
            ),
            summary_chars=_whole(values, "summary_chars", least=0),
            proxy=_whole(values, "proxy", least=0),
            idle_hours=_whole(values, "idle_hours"),
            sign_in_days=_whole(values, "sign_in_days"),
            oidc=config_oidc.from_values(values),
        )


_DEFAULTS: dict[str, int] = {
    each.name: each.default for each in fields(Settings) if isinstance(each.default, int)
}


def asset_dir(name: str) -> Path:
    """Return the folder *name* (templates, static, migrations).

    In an installed wheel it lies inside the package, in a checkout beside it.
    """
    package = Path(__file__).parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def _dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    return {name: value for name, value in dotenv_values(path).items() if value is not None}


def _fail(name: str, value: str, allowed: str) -> SettingsError:
    return SettingsError(f"{name}={value!r} is not valid: {allowed}")


def _choice(values: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    value = values.get(name, "")
    if value and value not in allowed:
        raise _fail(name, value, "use one of " + ", ".join(allowed))
    return value


def _whole(values: Mapping[str, str], field_name: str, *, least: int = 1) -> int:
    name = f"WALISSH_{field_name.upper()}"
    value = values.get(name, "")
    if not value:
        return _DEFAULTS[field_name]
    if not value.isascii() or not value.isdigit() or int(value) < least:
        raise _fail(name, value, f"use a whole number from {least}")
    return int(value)


def _temperature(values: Mapping[str, str]) -> float:
    value = values.get("WALISSH_TEMPERATURE", "") or "0"
    try:
        number = float(value)
    except ValueError as error:
        raise _fail("WALISSH_TEMPERATURE", value, "use a number from 0 to 2") from error
    if not 0 <= number <= 2:  # also refuses NaN
        raise _fail("WALISSH_TEMPERATURE", value, "use a number from 0 to 2")
    return number


def _bind(values: Mapping[str, str]) -> str:
    value = values.get("WALISSH_BIND", "") or "127.0.0.1:8022"
    address, colon, port = value.rpartition(":")
    if not (colon and address and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise _fail("WALISSH_BIND", value, "use ADDRESS:PORT, such as 127.0.0.1:8022")
    return value


def _url(values: Mapping[str, str], name: str, *schemes: str) -> str:
    value = values.get(name, "")
    scheme, separator, _ = value.partition("://")
    if value and (not separator or scheme not in schemes or not _has_good_port(value)):
        # the value may hold a password, so it is not repeated
        raise SettingsError(
            f"{name} is not valid: it must begin with {schemes[0]}:// and have a number as port"
        )
    return value


def _has_good_port(url: str) -> bool:
    try:
        urlsplit(url).port  # noqa: B018  reading it is the check
    except ValueError:
        return False
    return True


def _secret_key(values: Mapping[str, str]) -> str:
    value = values.get("WALISSH_SECRET_KEY", "")
    if value and len(value) < 16:
        raise SettingsError("WALISSH_SECRET_KEY is not valid: use at least 16 characters")
    return value
