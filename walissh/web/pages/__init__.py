"""The pages: each works as a full page and by plain forms; htmx adds comfort."""

from flask import Flask
from htmx_flask import Htmx

from walissh.web import i18n, rates
from walissh.web.pages import (
    access_tokens,
    asked,
    assets,
    audit,
    audit_words,
    browsers,
    causes,
    commands,
    events,
    flags,
    home,
    hosts,
    hosts_check,
    hosts_import,
    memory,
    memory_core,
    memory_moves,
    memory_words,
    oidc,
    people,
    reveal,
    rule_words,
    rules,
    running,
    settings,
    sidebar,
    signin,
    talk,
    thread_words,
    understanding,
    understanding_words,
    welcome,
    words,
)


def register(app: Flask) -> None:
    """Give *app* all pages, their languages and what their templates call."""
    i18n.install(app)
    Htmx(app)
    words.install(app)
    memory_words.install(app)
    thread_words.install(app)
    understanding_words.install(app)
    rule_words.install(app)
    audit_words.install(app)
    reveal.install(app)
    for page in (
        signin,
        home,
        talk,
        asked,
        causes,
        events,
        commands,
        reveal,
        flags,
        hosts,
        hosts_check,
        hosts_import,
        memory,
        memory_core,
        memory_moves,
        understanding,
        running,
        rules,
        audit,
        settings,
        browsers,
        access_tokens,
        people,
        oidc,
        sidebar,
        welcome,
        assets,
    ):
        app.register_blueprint(page.blueprint)
    rates.install(app, signin.too_many)
