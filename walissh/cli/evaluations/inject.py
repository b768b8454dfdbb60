"""Task ``inject``: whether an output gives orders to whoever reads it."""

from collections.abc import Iterable, Iterator, Mapping

from walissh.cli.evaluations import fields
from walissh.safety import inject


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Give ``id``, whether the text is ``suspicious``, and the ``kinds`` of orders in it."""
    for line in lines:
        found = inject.find(fields.text(line, "text"))
        kinds = list(dict.fromkeys(flag.kind for flag in found))
        yield {"id": fields.text(line, "id"), "suspicious": bool(found), "kinds": kinds}
