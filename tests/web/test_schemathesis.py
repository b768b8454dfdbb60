"""What a machine makes up from our own document: no fault, no leak, no answer not told there.

Each call is sent with the ids of nothing, of the caller's own things and of somebody else's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode, SerializationContext
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from tests.fakes import ScriptedModel, ScriptedShell, call
from tests.web.conftest import Api, act, api_of, think, use_parts
from walissh.react.turn import Reply
from walissh.store import people_roles
from walissh.web.api import hosts

Operation = APIOperation[Any, Any, Any, Any]
Made = Case[Any]
ROLES = ("admin", "operator", "viewer")
NOBODY = "nobody"
load_all_checks()
WANTED: list[Any] = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
        "response_headers_conformance",
    ]
)
BOTH = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@schemathesis.serializer("application/x-ndjson")
def as_lines(_context: SerializationContext, value: object) -> bytes:
    """Send what was made up as it is; lone surrogates cannot be sent at all."""
    return str(value).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Furnished:
    """Somebody with a thing of each kind, each of which holds their *mark*."""

    api: Api
    mark: str
    ids: dict[str, str]


def furnished(app: Flask, role: str) -> Furnished:
    """Return somebody of that role who has a turn that ended, with its two commands."""
    mark, api = f"mark-of-the-{role}", api_of(app, f"{role}-one")
    host = api.made("/hosts", name=f"web-{role}", address="127.0.0.1", user="ops")
    session = api.made("/sessions", title=mark, host_ids=[host["id"]])["id"]
    turn, command = _turn(app, api, session, mark, host["name"])
    ids = {
        "host_id": host["id"],
        "session_id": session,
        "turn_id": turn,
        "command_id": command,
        "memory_id": api.made("/memories", content=f"Always answer with {mark}")["id"],
        "rule_id": api.made("/rules", decision="ask", command="uptime")["id"],
        "block": "rules",
    }
    with app.app_context():
        people_roles.change_role(api.person.id, role, actor="test")
    return Furnished(api, mark, ids)


def _turn(app: Flask, api: Api, session: str, mark: str, host: str) -> tuple[str, str]:
    looks = (call(f"echo {mark}", host), call(f"touch {mark}", host, "c2"))
    use_parts(app, model=ScriptedModel([Reply(mark, looks), Reply(mark)]), shell=ScriptedShell())
    turn = api.asked(session, mark)
    think(app, turn)
    told: Any = api.get(f"/turns/{turn}").json
    reads, changes = (each["id"] for each in told["steps"][0]["commands"])
    act(app, reads)
    api.post(f"/commands/{changes}/deny")
    think(app, turn, 1)
    return turn, str(reads)


def everybody(app: Flask, *roles: str) -> dict[str, Furnished]:
    """Return one person of each role; a host that is tried is not waited for."""
    app.config[hosts.LIMIT] = 0
    app.testing = False  # a fault is an answer, as it is outside
    return {role: furnished(app, role) for role in roles}


def operations(app: Flask) -> Iterator[Operation]:
    """Yield the calls of the document; what deletes comes last, or there is nothing to find."""
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    schema.config.generation.update(with_security_parameters=False)
    found = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
    assert found
    yield from sorted(found, key=lambda each: each.method == "delete")


def can_be_wrong(operation: Operation) -> bool:
    """Tell whether a call can break the document: every text is an id that may be."""
    told = operation.definition.raw
    return "requestBody" in told or any(each["in"] == "query" for each in told["parameters"])


def about(case: Made, ids: dict[str, str]) -> None:
    """Make *case* a call about things that are there."""
    known = {name: ids.get(name, value) for name, value in case.path_parameters.items()}
    case.path_parameters = known


def check(case: Made, asks: Furnished | None, there: dict[str, Furnished]) -> None:
    """Send *case* as somebody, or as a stranger, and look at the answer."""
    headers = {"Authorization": f"Bearer {asks.api.token}"} if asks else {}
    response = case.call(headers=headers)
    case.validate_response(response, checks=WANTED, headers=headers)
    if asks is None:
        # no route takes some of the ids that are made up, with or without a token
        allowed = (401, 404) if "%" in case.formatted_path else (401,)
        assert response.status_code in allowed, case.as_curl_command()
    for each in there.values():
        if each is not asks:
            assert each.mark not in response.text, case.as_curl_command()


def try_out(
    operation: Operation,
    mode: GenerationMode,
    there: dict[str, Furnished],
    *,
    examples: int,
) -> None:
    """Send made-up calls of one operation as everybody *there*, and as a stranger."""
    if mode is GenerationMode.NEGATIVE and not can_be_wrong(operation):
        return
    whose = st.sampled_from([NOBODY, *there])

    @seed(20)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), whose=whose)
    def tried(case: Made, whose: str) -> None:
        if whose in there:
            about(case, there[whose].ids)
        for caller in (*there, NOBODY):
            check(case, there.get(caller), there)

    tried()


def test_calls_made_up_from_the_document_are_answered_as_it_says(app: Flask) -> None:
    there = everybody(app, "operator")
    for operation in operations(app):
        for mode in BOTH:
            try_out(operation, mode, there, examples=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", BOTH)
def test_many_calls_by_every_role_are_answered_as_the_document_says(
    app: Flask, mode: GenerationMode
) -> None:
    there = everybody(app, *ROLES)
    for operation in operations(app):
        try_out(operation, mode, there, examples=10)
