"""Sections of the prompt from other packages, found as pip would leave them."""

import logging
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.world import World
from walissh import wiring
from walissh.config import Settings
from walissh.errors import SettingsError
from walissh.memory.sidepath import SidePath
from walissh.react import plugins
from walissh.react.prompt import HostsProvider, Prompt, SystemProvider
from walissh.store import hosts
from walissh.store.hosts import HostDraft
from walissh.web import create_app

WEATHER = """
from walissh.react.turn import Section

class Weather:
    order = 60
    budget_tokens = 100

    def provide(self, context):
        return Section("Weather", f"Calm over {context.hosts[0].name}.")

class Broken(Weather):
    order = 61

    def provide(self, context):
        raise LookupError("no weather today")

class Odd(Weather):
    order = 62

    def provide(self, context):
        return {"title": "x"}

class Late(Weather):
    order = 63

    def provide(self, context):
        raise TimeoutError("the job's time is up")

class Dirty(Weather):
    order = 64

    def provide(self, context):
        return Section("a]\\n[b", "\\x1b[31mred\\x1b[0m token=hunter22hunter22\\n" + "word " * 500)

class Nothing(Weather):
    order = 65

    def provide(self, context):
        return None

made = Weather()

class NoOrder:
    def provide(self, context): ...

class First(Weather):
    order = 0

class Summary(Weather):
    order = 40

class NoBudget(Weather):
    budget_tokens = "many"

class NoProvide:
    order = 70

class Raises(Weather):
    def __init__(self):
        raise RuntimeError("no sky")
"""


class Packages:
    """A folder on the path into which packages are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, package: str, **points: str) -> None:
        (self.folder / f"{package}_code.py").write_text(WEATHER)
        info = self.folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {package}_code:{value}" for name, value in points.items()]
        group = f"[{plugins.GROUP}]\n"
        (info / "entry_points.txt").write_text(group + "\n".join(lines) + "\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    for name in [each for each in sys.modules if each.endswith("_code")]:
        monkeypatch.delitem(sys.modules, name)
    return Packages(folder)


def load(*, fatal: tuple[type[BaseException], ...] = ()) -> list[plugins.Plugin]:
    dropped = list[str]()
    return plugins.load(plugins.found(), SidePath(fatal, dropped.append))


def system_of(world: World, *providers: plugins.Plugin) -> str:
    """Return the system message of a turn with these sections beside two of ours."""
    prompt = Prompt.of([SystemProvider(), HostsProvider(), *providers])
    world.parts = replace(world.parts, prompt=prompt)
    world.script("Fine.")
    world.ask()
    world.play()
    return world.model.requests[-1].messages[0].content


def test_without_packages_nothing_is_found(packages: Packages) -> None:
    assert load() == []


def test_a_package_that_is_installed_has_its_section(packages: Packages, world: World) -> None:
    packages.install("acme", weather="Weather", again="made")
    found = load()
    assert [(each.name, each.order, each.budget_tokens) for each in found] == [
        ("acme: weather", 60, 100),
        ("acme: again", 60, 100),
    ]
    assert "[Weather]\nCalm over web1." in system_of(world, found[0])


@pytest.mark.parametrize("broken", ["Broken", "Odd"])
def test_one_that_fails_is_left_out_with_a_line_in_the_log(
    packages: Packages, world: World, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    packages.install("acme", bad=broken, good="Weather")
    with caplog.at_level(logging.WARNING):
        system = system_of(world, *load())
    assert "[Weather]" in system
    assert "plugin acme: bad" in caplog.text


def test_the_time_limit_of_a_job_passes_through(packages: Packages, world: World) -> None:
    packages.install("acme", late="Late")
    with pytest.raises(TimeoutError):
        system_of(world, *load(fatal=(TimeoutError,)))


def test_what_it_says_is_clean_and_within_its_budget(packages: Packages, world: World) -> None:
    packages.install("acme", dirty="Dirty")
    system = system_of(world, *load())
    assert "[a) (b]\n" in system
    assert "\x1b" not in system and "hunter22" not in system
    assert system.count("word") <= 100


def test_one_with_nothing_to_say_has_no_section(packages: Packages, world: World) -> None:
    packages.install("acme", nothing="Nothing")
    assert "Weather" not in system_of(world, *load())


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("NoOrder", "`order` must be a whole number from 1"),
        ("First", "`order` must be a whole number from 1"),
        ("Summary", "`order` 40 is the place of the summary"),
        ("NoBudget", "`budget_tokens` must be"),
        ("NoProvide", "no `provide"),
        ("Raises", "RuntimeError: no sky"),
        ("Missing", "AttributeError"),
    ],
)
def test_a_wrong_one_stops_the_start_and_is_named(packages: Packages, value: str, why: str) -> None:
    packages.install("acme", weather=value)
    with pytest.raises(SettingsError, match="acme: weather") as stopped:
        load()
    assert why in str(stopped.value) and "uninstall the package 'acme'" in str(stopped.value)


def test_code_that_does_not_even_parse_is_named(packages: Packages) -> None:
    packages.install("acme", weather="Weather")
    (packages.folder / "acme_code.py").write_text("def (:\n")
    with pytest.raises(SettingsError, match=r"acme: weather.*SyntaxError"):
        load()


def test_the_example_of_the_manual_works(packages: Packages, world: World) -> None:
    page = (Path(__file__).parent.parent / "docs/plugins.md").read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    packages.install("acme", oncall="OnCall")
    (packages.folder / "acme_code.py").write_text(code)
    (found,) = load()
    assert "On call" not in system_of(world, found)
    draft = HostDraft("web1", "127.0.0.1", "ops", groups=("web",))
    hosts.change(world.host.id, world.person.id, draft)
    assert "[On call]\n- web: Kim" in system_of(world, found)


def test_two_of_one_order_stop_the_start_with_both_names(packages: Packages) -> None:
    packages.install("acme", weather="Weather")
    packages.install("zeta", sky="Weather")
    with pytest.raises(SettingsError, match="acme: weather") as stopped:
        Prompt.of([SystemProvider(), *load()])
    assert "zeta: sky" in str(stopped.value) and "60" in str(stopped.value)


def test_an_order_of_ours_is_refused_with_both_names(packages: Packages) -> None:
    packages.install("acme", weather="Weather")
    (packages.folder / "acme_code.py").write_text(WEATHER.replace("order = 60", "order = 10"))
    with pytest.raises(SettingsError, match="HostsProvider") as stopped:
        Prompt.of([HostsProvider(), *load()])
    assert "acme: weather" in str(stopped.value)


def test_the_product_asks_the_packages_that_are_installed(
    packages: Packages, tmp_path: Path
) -> None:
    packages.install("acme", weather="Weather")
    with create_app(Settings(home=tmp_path, secret_key="a key for tests only")).app_context():
        providers = wiring.parts().prompt.providers
    assert (providers[-1].order, getattr(providers[-1], "name", "")) == (60, "acme: weather")


def test_a_wrong_package_stops_the_start_of_the_product(packages: Packages, tmp_path: Path) -> None:
    packages.install("acme", weather="NoProvide")
    with pytest.raises(SettingsError, match="acme: weather"):
        create_app(Settings(home=tmp_path, secret_key="a key for tests only"))
