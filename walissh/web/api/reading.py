"""What comes in: bodies and queries become values, or an error that names the field."""

from typing import Annotated, TypeVar

from flask import request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from walissh.errors import InvalidError

MAX_PAGE = 200
DEFAULT_PAGE = 50

Model = TypeVar("Model", bound=BaseModel)


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("nul", "it holds a NUL character, which cannot be stored")
    return text


Text = Annotated[str, AfterValidator(_no_nul)]
"""Text that every database can store."""


class Body(BaseModel):
    """A JSON object without unknown fields; types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Query(BaseModel):
    """The part of an address after ``?``; unknown names are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class PageQuery(Query):
    """Which part of a list: up to *limit* items after *cursor*."""

    limit: int = Field(DEFAULT_PAGE, ge=1, le=MAX_PAGE)
    cursor: Text = Field("", description="`next` of the page before.")


def body(model: type[Model]) -> Model:
    """Read the request's body; an empty one stands for an empty object."""
    try:
        return model.model_validate_json(request.get_data() or b"{}")
    except ValidationError as error:
        raise _explain(error.errors(include_url=False)[0], "The body") from error


def query(model: type[Model]) -> Model:
    """Read the request's query string; the first of a repeated name counts."""
    try:
        return model.model_validate(request.args.to_dict())
    except ValidationError as error:
        raise _explain(error.errors(include_url=False)[0], "The address") from error


def _explain(error: ErrorDetails, whole: str) -> InvalidError:
    place = ".".join(str(each) for each in error["loc"])
    reason = error["msg"]
    match error["type"]:
        case "json_invalid":
            return InvalidError(f"{whole} is not valid JSON in UTF-8: {error['ctx']['error']}.")
        case "model_type":
            return InvalidError(f"{whole} must be a JSON object.")
        case "extra_forbidden":
            return InvalidError(f"There is no field {place[:80]!r} here.", field=place)
        case "missing":
            return InvalidError(f"The field {place!r} is missing.", field=place)
    return InvalidError(f"{place}: {reason[0].lower()}{reason[1:]}.", field=place)
