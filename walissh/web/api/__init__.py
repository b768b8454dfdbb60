"""The JSON interface under /api/v1: one module per topic, described by `openapi`."""

from flask import Blueprint, Flask
from werkzeug.routing import BaseConverter

from walissh.web import auth, security
from walissh.web.api import (
    audit,
    commands,
    core_memory,
    events,
    flags,
    hosts,
    memories,
    openapi,
    reveal,
    rules,
    sessions,
    turns,
    understanding,
)

PREFIX = "/api/v1"


class IdConverter(BaseConverter):
    """An id in an address; what cannot be one finds no route."""

    regex = "[A-Za-z0-9_-]{1,64}"


def install(app: Flask) -> None:
    """Add the interface to *app*: bearer tokens only, so forms cannot forge its calls."""
    app.url_map.converters["id"] = IdConverter
    api = Blueprint("api", __name__, url_prefix=PREFIX)
    api.before_request(auth.guard_api)
    for topic in (
        sessions,
        turns,
        events,
        commands,
        reveal,
        flags,
        hosts,
        memories,
        core_memory,
        understanding,
        rules,
        audit,
    ):
        api.register_blueprint(topic.blueprint)
        security.takes_no_cookies(app, topic.blueprint)
    app.register_blueprint(api)
    app.register_blueprint(openapi.blueprint, url_prefix=PREFIX)
