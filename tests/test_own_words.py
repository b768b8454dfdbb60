"""An installation's own file of synonyms finds what the built-in words do not."""

from pathlib import Path

from flask import Flask

from walissh.memory.entry import Found, MemoryType, Origin, Source
from walissh.memory.recall import Query
from walissh.memory.synonyms import SynonymsFile
from walissh.store import memories, people
from walissh.store.postings import OWN_WORDS


def test_a_word_of_the_house_finds_what_it_stands_for(database_app: Flask, tmp_path: Path) -> None:
    person = people.named("ann")
    case = Found(MemoryType.TROUBLESHOOTING_CASE, "wombat", "the wombat stopped", "wombat stopped")
    memories.add_or_update(person.id, case, Source(Origin.USER))
    assert memories.recall(person.id, Query("what about the zeppelin?"), k=5) == []
    own = tmp_path / "synonyms.yaml"
    own.write_text("same:\n  - zeppelin | wombat\n")
    database_app.extensions[OWN_WORDS] = SynonymsFile(own)
    (hit,) = memories.recall(person.id, Query("what about the zeppelin?"), k=5)
    assert hit.memory.subject == "wombat"
