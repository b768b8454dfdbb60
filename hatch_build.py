"""Put the folders beside the package into a wheel; an editable install reads them here."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("templates", "static", "migrations", "translations")


class Folders(BuildHookInterface):  # type: ignore[type-arg]
    """Takes each folder into the package, where `walissh.config.asset_dir` looks first."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folders that are there."""
        if version == "editable":
            return
        for name in FOLDERS:
            if Path(self.root, name).is_dir():
                build_data["force_include"][str(Path(self.root, name))] = f"walissh/{name}"
