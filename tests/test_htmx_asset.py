"""htmx comes from a package, and only the very file we know is served."""

import hashlib
from pathlib import Path

import pytest
from flask import Flask

from walissh.errors import StartError
from walissh.web.pages import assets


def test_the_installed_file_is_the_known_one() -> None:
    assert hashlib.sha256(assets.script()).hexdigest() == assets.SHA256


def test_another_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    other = tmp_path / "htmx.min.js"
    other.write_text("alert(1)")
    with pytest.raises(StartError, match="make setup"):
        assets.checked(other)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="is missing"):
        assets.checked(tmp_path / "htmx.min.js")


def test_it_is_served_to_be_kept() -> None:
    app = Flask("test")
    app.register_blueprint(assets.blueprint)
    response = app.test_client().get(f"/assets/htmx-{assets.VERSION}.js")
    assert response.mimetype == "text/javascript"
    assert "immutable" in response.headers["Cache-Control"]
    again = app.test_client().get(
        f"/assets/htmx-{assets.VERSION}.js", headers={"If-None-Match": f'"{assets.SHA256}"'}
    )
    assert again.status_code == 304
