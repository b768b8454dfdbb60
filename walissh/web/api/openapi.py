"""The OpenAPI 3.1 document, made from the declarations beside the views."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from flask import Blueprint, Flask, Response, current_app, json
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

import walissh
from walissh.web.api.contract import Declared, declared_by

blueprint = Blueprint("api_document", __name__)

REF = "#/components/schemas/{model}"
PROBLEM = "Problem"
WORDS = {
    200: "Here it is.",
    201: "It is made.",
    202: "It is under way.",
    204: "It is gone.",
    400: "The request breaks a rule; `field` names the place.",
    401: "The token is missing, expired or revoked.",
    403: "The role of the person, or the scope of the token, does not allow it.",
    404: "There is no such thing, or it is another person's.",
    409: "It is not in the state that this needs.",
    413: "It is more than is taken at once.",
    503: "A part that this needs is away; try again.",
}

_PATH_ID = re.compile(r"<id:(\w+)>")

Json = dict[str, Any]
Refs = Mapping[Any, Json]
"""Where the schema of a (shape, mode) is."""


@blueprint.get("/openapi.json")
def document() -> Response:
    """Return the description of this interface; needs no token."""
    return Response(json.dumps(describe(current_app)), content_type="application/json")


def describe(app: Flask) -> Json:
    """Return the document of all declared calls of *app*."""
    calls = list(_calls(app))
    refs, schemas = _schemas([declared for *_, declared in calls])
    paths: Json = {}
    for method, rule, summary, declared in calls:
        path = _PATH_ID.sub(r"{\1}", rule)
        paths.setdefault(path, {})[method] = _operation(rule, summary, declared, refs)
    return {
        "openapi": "3.1.0",
        "info": {"title": "WaLiSSH", "version": walissh.__version__},
        "paths": paths,
        "components": {
            "schemas": {**schemas, PROBLEM: _problem()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _calls(app: Flask) -> Iterator[tuple[str, str, str, Declared]]:
    """Yield method, rule, summary and declaration of each call."""
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        declared = declared_by(view)
        if declared is None:
            continue
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method.lower(), rule.rule, view.__doc__ or "", declared


def _schemas(calls: list[Declared]) -> tuple[Refs, Json]:
    """Return where each shape's schema is, and the schemas by name."""
    given = {
        shape
        for each in calls
        for shape in (*each.answers.values(), *each.events.values())
        if shape is not None
    }
    taken = {each.body for each in calls if each.body is not None}
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((each, "serialization") for each in sorted(given, key=lambda m: m.__name__)),
        *((each, "validation") for each in sorted(taken, key=lambda m: m.__name__)),
    ]
    refs, definitions = models_json_schema(wanted, ref_template=REF)
    return refs, definitions["$defs"]


def _operation(rule: str, summary: str, declared: Declared, refs: Refs) -> Json:
    errors = {400, 401, 403, *declared.errors}
    told: Json = {
        "summary": summary,
        "parameters": [*_path_ids(rule), *_headers(declared), *_query(declared)],
        "responses": {
            **{str(s): _answer(s, declared, refs) for s in declared.answers},
            **{str(status): _failure(status) for status in sorted(errors)},
        },
    }
    if declared.body is not None:
        schema = refs[declared.body, "validation"]
        told["requestBody"] = {
            "required": bool(declared.body.model_json_schema().get("required")),
            "content": {"application/json": {"schema": schema}},
        }
    if declared.takes:
        lines = {"type": "string", "description": "One JSON object a line."}
        told["requestBody"] = {"required": True, "content": {declared.takes: {"schema": lines}}}
    return told


def _path_ids(rule: str) -> list[Json]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PATH_ID.findall(rule)
    ]


def _headers(declared: Declared) -> list[Json]:
    return [
        {"name": name, "in": "header", "description": words, "schema": {"type": "string"}}
        for name, words in declared.headers.items()
    ]


def _query(declared: Declared) -> list[Json]:
    if declared.query is None:
        return []
    told = declared.query.model_json_schema()
    named = told.get("$defs", {})
    return [
        {"name": name, "in": "query", "schema": _spelled_out(schema, named)}
        for name, schema in told["properties"].items()
    ]


def _spelled_out(schema: Any, named: Json) -> Any:
    """Return *schema* with the definitions that it refers to in their places."""
    if isinstance(schema, list):
        return [_spelled_out(each, named) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _spelled_out(named[schema["$ref"].rpartition("/")[2]], named)
    return {name: _spelled_out(each, named) for name, each in schema.items()}


def _answer(status: int, declared: Declared, refs: Refs) -> Json:
    shape = declared.answers[status]
    if shape is not None:
        schema = refs[shape, "serialization"]
        return {"description": WORDS[status], "content": {declared.media: {"schema": schema}}}
    if status == 204:
        return {"description": WORDS[status]}
    content: Json = {"schema": {"type": "string"}}
    if declared.events:
        named = {name: refs[each, "serialization"] for name, each in declared.events.items()}
        content = {"schema": _event(named), "x-events": named}
    return {
        "description": " ".join([WORDS[status], *_events(declared)]),
        "content": {declared.media: content},
    }


def _events(declared: Declared) -> Iterator[str]:
    """Yield a sentence for each event of a stream: what its data is."""
    for name, shape in declared.events.items():
        yield f"`{name}`: {' '.join((shape.__doc__ or '').split())}"


def _event(named: Json) -> Json:
    """Return what one event of a stream is, which is what a schema of such a stream tells."""
    data = {"type": "string", "contentMediaType": "application/json"}
    kinds = [
        {"properties": {"event": {"const": name}, "data": {**data, "contentSchema": schema}}}
        for name, schema in named.items()
    ]
    return {"type": "object", "required": ["id", "event", "data"], "oneOf": kinds}


def _failure(status: int) -> Json:
    schema = {"$ref": REF.format(model=PROBLEM)}
    return {
        "description": WORDS[status],
        "content": {"application/problem+json": {"schema": schema}},
    }


def _problem() -> Json:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": text,
            "title": text,
            "status": {"type": "integer"},
            "detail": {**text, "description": "What happened and what to do next."},
            "field": {**text, "description": "The part of the request that is wrong."},
        },
    }
