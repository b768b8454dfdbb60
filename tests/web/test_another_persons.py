"""Every route with the id of something real that is another person's: there is no such thing."""

import re

import pytest
from flask import Flask

from tests.web.conftest import api_of
from tests.web.forms import Stage, calls
from tests.web.test_every_route import MAY, Asked, Caller, guarded
from walissh.react.turn import CommandStatus
from walissh.store import commands, hosts, sessions

NAMED = re.compile(r"<(?:id:)?(\w+)>")
MEMORY = {"type": "SOFTWARE_FACT", "subject": "nginx", "value": "1.24", "content": "nginx is 1.24"}
BODIES: dict[str, dict[str, object]] = {
    "POST /api/v1/sessions/<id:session_id>/messages": {"content": "why?"},
    "POST /api/v1/memories/<id:memory_id>/share": {"group": "shop"},
    "POST /api/v1/sessions/<id:session_id>/reveal": {"n": 1},
    "POST /sessions/<session_id>/ask": {"content": "why?"},
}
"""What a route looks at before it looks for the thing."""


@pytest.fixture
def things(app: Flask) -> dict[str, str]:
    """What ann has, by the name of its id in a route."""
    run = Stage.of(app, calls("touch /x")).waiting()
    ann = api_of(app, "ann")
    return {
        "session_id": run.session_id,
        "turn_id": run.turn_id,
        "command_id": run.id,
        "host_id": run.host_id,
        "rule_id": ann.made("/rules", decision="deny", command="touch /y")["id"],
        "memory_id": ann.made("/memories", **MEMORY)["id"],
    }


def about(things: dict[str, str], role: str) -> list[tuple[Asked, str]]:
    """Return the routes that name one of *things* and are open to *role*, with their paths.

    An admin revokes anybody's rule, and may do that only.
    """
    kinds = MAY.get(role, {"reader", "self", "worker", "admin"})
    found = [(each, set(NAMED.findall(each.rule))) for each in guarded() if each.kind in kinds]
    return [
        (each, NAMED.sub(lambda name: things[name[1]], each.rule))
        for each, names in found
        if names and names <= things.keys() and not (role == "admin" and names == {"rule_id"})
    ]


@pytest.mark.parametrize("role", ["operator", "viewer", "admin"])
def test_what_is_another_persons_is_not_there(
    app: Flask, things: dict[str, str], role: str
) -> None:
    app.config["WTF_CSRF_ENABLED"] = False
    caller, walked = Caller.of(app, role), about(things, role)
    assert len(walked) > 20
    told = {
        f"{asked.method} {asked.rule}": caller.call(
            asked, path, BODIES.get(f"{asked.method} {asked.rule}", {})
        ).status_code
        for asked, path in walked
    }
    assert {rule: code for rule, code in told.items() if code != 404} == {}
    with app.app_context():
        run = commands.get(things["command_id"])
        assert run is not None and run.status is CommandStatus.AWAITING_APPROVAL
        assert hosts.get(run.host_id, run.user_id) and sessions.get(run.session_id, run.user_id)
