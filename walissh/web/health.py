"""Whether the parts answer: for process watchers and load balancers, without sign-in."""

from flask import Blueprint, Flask, Response, json

from walissh.clock import utc_now
from walissh.store import pulse, workers
from walissh.wiring import settings

blueprint = Blueprint("health", __name__)

RESTART = "Look at the log of this part; `walissh up` restarts it by itself."
ADVICE = {
    "database": "Check DATABASE_URL, or the folder WALISSH_HOME if there is none.",
    "redis": "Check REDIS_URL, or the part redis of `walissh up` if there is none.",
    "turns": f"No worker for turns is alive. {RESTART}",
    "commands": f"No worker for commands is alive. {RESTART}",
}


def install(app: Flask) -> None:
    """Add /healthz and /readyz to *app*."""
    app.register_blueprint(blueprint)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Say that the web process lives."""
    return _json({"status": "ok"}, 200)


@blueprint.get("/readyz")
def readyz() -> Response:
    """Say whether all that a question needs answers; else name what does not."""
    now = utc_now()
    answers = {"database": pulse.database_answers(), "redis": pulse.redis_answers(settings())}
    for kind in ("turns", "commands"):
        answers[kind] = answers["database"] and workers.alive(kind, now)
    parts = {name: "ok" if well else ADVICE[name] for name, well in answers.items()}
    if all(answers.values()):
        return _json({"status": "ok", "parts": parts}, 200)
    return _json({"status": "not ready", "parts": parts}, 503)


def _json(told: dict[str, object], status: int) -> Response:
    return Response(json.dumps(told) + "\n", status, content_type="application/json")
