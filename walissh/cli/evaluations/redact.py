"""Task ``redact``: which parts of an output are secrets."""

from collections.abc import Iterable, Iterator, Mapping

from walissh.cli.evaluations import fields
from walissh.safety import redact
from walissh.safety.placeholders import Counted


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Give ``id``, the clean ``text`` and the replaced ``spans`` of the text that came in."""
    for line in lines:
        text = fields.text(line, "text")
        yield {
            "id": fields.text(line, "id"),
            "text": redact.redact(text, Counted()),
            "spans": [[span.start, span.end] for span in redact.spans(text)],
        }
