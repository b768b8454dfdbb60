"""Which worker of ``pytest -n`` runs which test: those of a file together.

A file's tests share what its fixtures start. xdist's own way to keep tests of several files
together (``--dist loadgroup``) has no effect with this version of pytest.
"""

from xdist.scheduler import LoadScopeScheduling

STORIES = "tests/stories/"
ONE_INSTALLATION = {
    f"{STORIES}{name}.py"
    for name in (
        "test_behind_nginx",
        "test_first_question",
        "test_long_diagnostics",
        "test_worker_death",
    )
}
"""The stories that use `with_model`."""


class FileScheduling(LoadScopeScheduling):
    """Gives whole files to a worker, in the order of collection."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "with a model" if file in ONE_INSTALLATION else file
