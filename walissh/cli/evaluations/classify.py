"""Task ``classify``: what a command may do, as told from its text."""

from collections.abc import Iterable, Iterator, Mapping

from walissh.cli.evaluations import fields
from walissh.safety import risk


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Give ``id``, ``risk``, ``interactive`` and ``reasons`` (sentences) of each command."""
    for line in lines:
        judged = risk.classify(fields.text(line, "command"))
        yield {
            "id": fields.text(line, "id"),
            "risk": judged.risk.value,
            "interactive": judged.interactive,
            "reasons": [risk.reason_text(each, "en") for each in judged.reasons],
        }
