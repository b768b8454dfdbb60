"""Importing hosts from an OpenSSH client configuration, pasted or uploaded."""

from collections.abc import Iterator

from flask import Blueprint, make_response, render_template, request, url_for
from flask_babel import gettext, ngettext
from werkzeug.wrappers import Response

from walissh import host_import
from walissh.errors import InvalidError
from walissh.host_import import Imported
from walissh.ssh import config
from walissh.ssh.config import ConfigHost
from walissh.web import auth, i18n
from walissh.web.pages import answers

MAX_KIB = 256
MAX_HOSTS = 500

blueprint = Blueprint("hosts_import", __name__, url_prefix="/hosts/import")
blueprint.before_request(auth.guard_page)


@blueprint.get("")
def page() -> str:
    """Show the form."""
    return _form()


@blueprint.post("")
def read() -> Response:
    """Add every host of the configuration whose name is not taken."""
    text, user = request.form.get("text", ""), request.form.get("user", "").strip()
    try:
        # nobody's account on the server here says who they are elsewhere
        result = host_import.add_all(auth.person().id, _listed(_uploaded() or text), user)
    except InvalidError as error:
        return make_response(_form(text, user, i18n.sentence(str(error))), 400)
    return answers.go(url_for("hosts.page"), said=_said(result))


def _form(text: str = "", user: str = "", error: str = "") -> str:
    return render_template("hosts/import.html", text=text, user=user, error=error)


def _uploaded() -> str:
    upload = request.files.get("file")
    data = upload.read(MAX_KIB * 1024 + 1) if upload else b""
    _check_size(len(data))
    return data.decode("utf-8", "replace")


def _listed(text: str) -> list[ConfigHost]:
    _check_size(len(text.encode("utf-8", "replace")))
    found = config.parse(text.replace("\0", ""))
    if not found:
        raise InvalidError("The text names no host: there is no line such as 'Host web1'.")
    if len(found) > MAX_HOSTS:
        raise InvalidError(
            f"The text names {len(found)} hosts; at most {MAX_HOSTS} are taken at once."
        )
    return found


def _check_size(size: int) -> None:
    if size > MAX_KIB * 1024:
        raise InvalidError(f"The text is longer than {MAX_KIB} KiB. Send it in parts.")


def _said(result: Imported) -> str:
    added = len(result.added)
    said = str(ngettext("%(num)s host was added.", "%(num)s hosts were added.", added))
    parts = [said, *map(str, _more(result))]
    return " ".join(parts)


def _more(result: Imported) -> Iterator[str]:
    if result.left_out:
        names = "; ".join(f"{name} ({i18n.sentence(why)})" for name, why in result.left_out)
        yield gettext("Left out: %(names)s.", names=names)
    for keyword, without in result.unused.items():
        names = host_import.few(without)
        yield gettext(
            "%(keyword)s was not used: check how these are reached: %(names)s.",
            keyword=keyword,
            names=names,
        )
    if result.added:
        yield gettext("Next: give each its key, then test it and trust its host key.")
