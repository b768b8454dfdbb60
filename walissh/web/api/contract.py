"""How a call is declared: what it takes and gives, once, for the code and the document.

A view is called with its path ids, and with ``body`` and ``query`` if it declares them; it
returns a shape, or a shape and one of the statuses that it declares, or a whole response.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from flask import Response
from pydantic import BaseModel

from walissh.web.api import reading

Shape = type[BaseModel]
View = Callable[..., Any]

NOTHING = 204
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Declared:
    """One call as the document tells it; *answers* maps status to shape, best first."""

    answers: Mapping[int, Shape | None]
    body: Shape | None = None
    query: Shape | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    errors: tuple[int, ...] = (404,)
    media: str = "application/json"
    takes: str = ""
    events: Mapping[str, Shape] = field(default_factory=dict)


def declares(
    answers: Mapping[int, Shape | None],
    *,
    body: Shape | None = None,
    query: Shape | None = None,
    headers: Mapping[str, str] | None = None,
    errors: tuple[int, ...] = (404,),
    media: str = "application/json",
    takes: str = "",
    events: Mapping[str, Shape] | None = None,
) -> Callable[[View], View]:
    """Declare a view; *headers* are those that it reads, with what they are for.

    *takes* is the media type of a body that the view reads by itself; *events* are the data
    of a stream's events by their names.
    """
    declared = Declared(answers, body, query, headers or {}, errors, media, takes, events or {})

    def decorate(view: View) -> View:
        @wraps(view)
        def call(**given: Any) -> Response:
            if query is not None:
                given["query"] = reading.query(query)
            if body is not None:
                given["body"] = reading.body(body)
            return _respond(view(**given), declared)

        call.declared = declared  # type: ignore[attr-defined]  # read by `declared_by`
        return call

    return decorate


def declared_by(view: View) -> Declared | None:
    """Return what *view* declares, None if it is no call of the interface."""
    found: Declared | None = getattr(view, "declared", None)
    return found


def _respond(told: Any, declared: Declared) -> Response:
    if isinstance(told, Response):
        return told
    shape, status = told if isinstance(told, tuple) else (told, next(iter(declared.answers)))
    if shape is None:
        return Response(status=status)
    return Response(shape.model_dump_json(by_alias=True), status, content_type="application/json")
