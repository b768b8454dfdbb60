"""What goes into a search of the index and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from walissh.memory.entry import MemoryType


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, and what is known of where it is asked.

    *context* are texts around the question (recent rounds, the goal, the service at hand),
    each with its weight against the question (0 to 1); *hosts* are the names at hand, so
    that "that one" finds its host; *at* is the present instant.
    """

    text: str
    context: tuple[tuple[str, float], ...] = ()
    hosts: tuple[str, ...] = ()
    at: datetime | None = None


# a search makes a hundred of these two and more, and a tuple is made in a tenth of the time


class Place(NamedTuple):
    """Where an indexed text stands: *cluster* is its session, document or host."""

    length: int
    cluster: str
    position: int
    at: datetime | None = None


class Features(NamedTuple):
    """What else bears on the rank of a memory; *used_at* is when it was last recalled."""

    type: MemoryType
    host: str = ""
    subject: str = ""
    at: datetime | None = None
    confidence: float = 1.0
    recalled_times: int = 0
    helped_times: int = 0
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Matches:
    """What the index holds of the sought terms.

    *total* and *mean_length* are of all texts of the owner; *held* gives per term how
    often it stands in which text; *texts* in how many it stands at all, which may be more
    than *held* shows. *lengths* covers every text in *held*; so does *places*, if they are
    lines of talks or pieces of documents.
    """

    total: int
    mean_length: float
    held: Mapping[str, Mapping[int, int]]
    texts: Mapping[str, int]
    lengths: Mapping[int, int]
    places: Mapping[int, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """A found text: the higher *score*, the better; *reasons* are the words it was found by."""

    doc: int
    score: float
    reasons: tuple[str, ...] = field(default=())
