"""What ``walissh doctor`` looks at; each check says what is, or what to do."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import redis
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import current_app
from sqlalchemy.exc import SQLAlchemyError

from walissh.clock import utc_now
from walissh.config import Settings
from walissh.errors import SettingsError, StartError, StoreError
from walissh.memory.router import OWN_FILE, Router
from walissh.memory.synonyms import SynonymsFile
from walissh.service import listen, reach, valkey
from walissh.store import audit, queue, seal, workers
from walissh.store.dropped import Dropped
from walissh.web import create_app

OLDEST_PYTHON = (3, 11)
OLDEST_REDIS = (6, 2)
MODEL_LIMIT_S = 10
NO_KEY = "not used: doctor opens no secret"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one look; *text* says what is, or what is wrong and what to do."""

    name: str
    ok: bool
    text: str


def examine(settings: Settings) -> Iterator[Check]:
    """Look at every part, one after the other; never raises for what is broken."""
    yield _python()
    yield _home(settings)
    yield _shfmt()
    yield _server_program(settings)
    yield _redis(settings)
    yield _key(settings)
    yield from _stored(settings)
    yield _web(settings)
    yield _model(settings)
    yield playbooks(settings)


def _python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info >= OLDEST_PYTHON:
        return Check("python", True, version)
    return Check("python", False, f"{version} is too old. Install Python 3.11 or newer.")


def _home(settings: Settings) -> Check:
    home = settings.home
    if not home.is_dir():
        return Check("home", False, f"{home} does not exist. Run walissh up once.")
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        return Check("home", False, f"{home} is not writable. Make it yours: chown -R $USER {home}")
    if home.stat().st_mode & 0o077:
        return Check("home", False, f"{home} is open to others. Run: chmod 700 {home}")
    free_mb = shutil.disk_usage(home).free // 2**20
    if free_mb < settings.output_limit_mb:
        return Check("home", False, f"{home} has {free_mb} MB left. Free some space.")
    return Check("home", True, f"{home}, {free_mb} MB free")


def _shfmt() -> Check:
    found = _beside_python("shfmt") or shutil.which("shfmt")
    if found:
        return Check("shfmt", True, found)
    return Check(
        "shfmt", False, "not found, so every command asks first. Install it: pip install shfmt-py"
    )


def _beside_python(name: str) -> str | None:
    return shutil.which(name, path=os.path.dirname(sys.executable))


def _server_program(settings: Settings) -> Check:
    if settings.redis_url:
        return Check("redis program", True, "not needed, REDIS_URL is set")
    try:
        return Check("redis program", True, str(valkey.find_server()))
    except StartError as error:
        return Check("redis program", False, str(error))


def _redis(settings: Settings) -> Check:
    where = "REDIS_URL" if settings.redis_url else str(settings.redis_socket)
    try:
        with queue.connect(settings) as client:
            info = client.info("server")
    except redis.RedisError as error:
        advice = "Check REDIS_URL." if settings.redis_url else "Run walissh up."
        return Check("redis", False, f"{where} does not answer ({error}). {advice}")
    version = str(info.get("valkey_version") or info["redis_version"])
    known = tuple(int(part) for part in version.split(".")[:2])
    if known < OLDEST_REDIS:
        return Check("redis", False, f"{version} is too old. Use Redis 6.2, Valkey 7.2 or newer.")
    return Check("redis", True, f"{version} at {where}")


def _key(settings: Settings) -> Check:
    path = settings.home / seal.KEY_FILE
    if settings.secret_key:
        return Check("key", True, "from WALISSH_SECRET_KEY")
    if not path.exists():
        return Check("key", False, f"{path} does not exist. Run walissh up once, or restore it.")
    try:
        seal.secret_key(settings)
    except (SettingsError, StartError) as error:
        return Check("key", False, str(error))
    return Check("key", True, str(path))


def _stored(settings: Settings) -> Iterator[Check]:
    try:
        reach.database(settings)
        app = create_app(replace(settings, secret_key=NO_KEY))
    except (SettingsError, StartError) as error:
        yield Check("database", False, str(error))
        return
    with app.app_context():
        database = _database()
        yield database
        if database.ok:
            yield _audit()
            yield _memory(settings)
            for kind in ("turns", "commands", "upkeep"):
                yield _worker(kind)


def _database() -> Check:
    migrate = current_app.extensions["migrate"]
    url = migrate.db.engine.url
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return Check("database", False, f"{url.database} does not exist. Run walissh up once.")
    newest = ScriptDirectory.from_config(migrate.migrate.get_config()).get_current_head()
    try:
        with migrate.db.engine.connect() as connection:
            present = MigrationContext.configure(connection).get_current_revision()
    except (SQLAlchemyError, OSError) as error:
        return Check("database", False, f"{reach.line(error)}. Check DATABASE_URL.")
    if present != newest:
        return Check(
            "database", False, f"schema {present or 'empty'}, not {newest}. Run: walissh release"
        )
    return Check("database", True, f"{migrate.db.engine.dialect.name}, schema {present}")


def _audit() -> Check:
    try:
        broken = audit.first_broken()
    except StoreError as error:
        return Check("audit", False, str(error))
    if broken is None:
        return Check("audit", True, "the chain holds")
    return Check(
        "audit",
        False,
        f"event {broken} was changed, or the one before it was removed. Compare audit_event with "
        "a backup, and look who can write to the database.",
    )


def _worker(kind: str) -> Check:
    name = f"worker {kind}"
    try:
        lives = workers.alive(kind, utc_now())
    except StoreError as error:
        return Check(name, False, str(error))
    if lives:
        return Check(name, True, "alive")
    return Check(name, False, f"no sign of life. Run walissh up, or walissh worker {kind}")


def _web(settings: Settings) -> Check:
    if listen.is_ready(settings):
        return Check("web", True, f"http://{listen.running_address(settings)}")
    address = listen.running_address(settings)
    return Check("web", False, f"{address} is not ready. Run walissh up, or walissh web")


def _memory(settings: Settings) -> Check:
    """Say what of memory was dropped, and whether the person's own files are read."""
    words = SynonymsFile(settings.home / "synonyms.yaml")
    words.current()
    problem = Router(settings.home / OWN_FILE, utc_now).problem or words.problem
    if problem:
        return Check("memory", False, problem)
    with queue.connect(settings) as connection:
        counts = sorted(Dropped(connection).counts().items())
    told = ", ".join(f"{name} {count}" for name, count in counts)
    return Check("memory", True, f"writes dropped so far: {told or 'none'}")


def _model(settings: Settings) -> Check:
    if not settings.uses_openai:
        return Check("model", True, "the offline brain; set OPENAI_API_KEY for a real model")
    url = (settings.openai_base_url or "https://api.openai.com/v1").rstrip("/")
    try:
        reply = httpx2.get(
            f"{url}/models",
            headers={"Authorization": f"Bearer {settings.openai_api_key}"},
            timeout=MODEL_LIMIT_S,
        )
    except httpx2.HTTPError as error:
        host = urlsplit(url).netloc
        return Check("model", False, f"{host} does not answer ({error}). Check OPENAI_BASE_URL.")
    if reply.status_code in (401, 403):
        return Check("model", False, f"{url} refuses the key. Check OPENAI_API_KEY.")
    return Check("model", True, f"{settings.model} at {url}")


def playbooks(settings: Settings) -> Check:
    """Say which of the home's own playbooks were left out, and why."""
    from walissh.brain import library  # heavy, and no other command of this module's wants it

    folder = settings.home / library.FOLDER
    found = library.load(folder)
    if found.problems:
        why = "; ".join(each.why for each in found.problems)
        advice = "Correct it, then look with: walissh playbook check FILE"
        return Check("playbooks", False, f"left out of {folder}: {why}. {advice}")
    count = len(found.catalogue.playbooks)
    return Check("playbooks", True, f"{count}, of which {len(found.own)} are your own")
