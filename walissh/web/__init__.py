"""The web part: pages for people, JSON for programs, both over the same stores."""

from flask import Flask

from walissh import wiring
from walissh.config import Settings, asset_dir
from walissh.web import api, auth, errors, exposure, health, pages, security


def create_app(settings: Settings | None = None) -> Flask:
    """Build the application; *settings* come from the environment if not given.

    Connects to nothing. Raises SettingsError or StartError with one line for a person.
    """
    app = Flask(
        "walissh",
        template_folder=str(asset_dir("templates")),
        static_folder=str(asset_dir("static")),
        static_url_path="/static",
    )
    wiring.install(app, settings or Settings.from_env())
    for part in (exposure, security, auth, errors, health, api):
        part.install(app)
    pages.register(app)
    return app
