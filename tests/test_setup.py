"""The package and its locks: what a fresh machine gets."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.services import begin_up

ROOT = Path(__file__).parent.parent
LOCKS = ("app.txt", "dev.txt")


def pip(command: str, *arguments: str) -> None:
    """Run pip on one package without its dependencies."""
    subprocess.run(
        [sys.executable, "-m", "pip", command, "-q", "--no-deps", *arguments], check=True
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this checkout."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "-w", str(folder), str(ROOT))
    (file,) = folder.glob("walissh-*.whl")
    return file


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_place_of_the_machine_it_was_made_on(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text()
    assert not re.search(r"file:/|://|--index|--find|--extra-index|/opt/|/home/|/tmp/", text)


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_is_pinned_and_has_a_hash(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text().replace("\\\n", " ")
    packages = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert packages
    for line in packages:
        assert re.match(r"[\w.-]+==[\w.]+ .*--hash=sha256:", line), line


def test_the_locks_agree_with_each_other() -> None:
    pins: dict[str, set[str]] = {}
    for name in LOCKS:
        for package, version in re.findall(
            r"^([\w.-]+)==(\S+)", (ROOT / "requirements" / name).read_text(), re.MULTILINE
        ):
            pins.setdefault(package, set()).add(version)
    assert not {package: found for package, found in pins.items() if len(found) > 1}


def test_the_wheel_holds_all_that_it_needs_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    folders = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert folders == {"walissh", "workers"}
    for part in ("templates/", "static/", "migrations/env.py", "brain/playbooks/"):
        assert any(name.startswith(f"walissh/{part}") for name in names), part
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.timeout(300)
def test_a_wheel_runs_up_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    pip("install", "--target", str(target), str(wheel))
    installation = begin_up(tmp_path / "home", root=target)
    try:
        installation.wait_for_link()
        assert (target / "walissh" / "migrations" / "env.py").exists()
    finally:
        installation.stop()
