"""The JSON interface under /api/v1."""

from flask import Flask


def install(app: Flask) -> None:
    """Add the interface to *app*."""
