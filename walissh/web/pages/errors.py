"""What a person reads when something went wrong: a page, or one line for htmx."""

from urllib.parse import urlsplit

from flask import Response, make_response, render_template, request
from flask_babel import gettext
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from walissh.errors import WalisshError
from walissh.web import auth, errors, i18n
from walissh.web.pages import answers


def render(error: Exception, status: int) -> Response:
    """Return the sentence of *error* as a page, as a line when htmx asks."""
    sentence = i18n.sentence(_sentence(error))
    if answers.is_fragment():
        return make_response(sentence, status, {"Content-Type": "text/plain; charset=utf-8"})
    page = render_template(
        "errors/page.html", status=status, title=_title(status), text=sentence, back=_back()
    )
    return make_response(page, status)


def _back() -> str:
    """Return the page of this site that a form was sent from, "" if none is known."""
    shown = urlsplit(request.referrer or "")
    if request.method == "GET" or shown.netloc != request.host:
        return ""
    path = auth.local_path(shown.path + (f"?{shown.query}" if shown.query else ""))
    return "" if path == "/" else path


def _sentence(error: Exception) -> str:
    if isinstance(error, WalisshError):
        return str(error)
    if isinstance(error, CSRFError):
        return f"The form was not accepted: {error.description} Reload the page and try again."
    if isinstance(error, HTTPException):
        return errors.WORDS.get(error.code or 500, error.description or error.name)
    return errors.WORDS[500]


def _title(status: int) -> str:
    titles = {
        400: gettext("That did not work"),
        401: gettext("Sign in first"),
        403: gettext("Not allowed"),
        404: gettext("Not found"),
        405: gettext("Not possible here"),
        409: gettext("Not in this state"),
        413: gettext("Too big"),
        503: gettext("Not ready"),
    }
    return titles.get(status, gettext("Something went wrong"))
