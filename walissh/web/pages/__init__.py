"""The pages: each works as a full page and by plain forms; htmx adds comfort."""

from flask import Flask
from htmx_flask import Htmx

from walissh.web import i18n
from walissh.web.pages import (
    assets,
    commands,
    events,
    home,
    hosts,
    hosts_check,
    hosts_import,
    running,
    settings,
    sidebar,
    signin,
    talk,
    words,
)


def register(app: Flask) -> None:
    """Give *app* all pages, their languages and what their templates call."""
    i18n.install(app)
    Htmx(app)
    words.install(app)
    for page in (
        signin,
        home,
        talk,
        events,
        commands,
        hosts,
        hosts_check,
        hosts_import,
        running,
        settings,
        sidebar,
        assets,
    ):
        app.register_blueprint(page.blueprint)
