"""The WSGI object, for servers that want one: ``gunicorn app:app``."""

from walissh.web import create_app

app = create_app()
