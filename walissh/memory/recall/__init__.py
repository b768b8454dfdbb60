"""Find again what is remembered, said or written: by words, without a model or a network."""

from walissh.memory.recall.memories import rank
from walissh.memory.recall.values import Features, Matches, Place, Query, Scored

__all__ = ["Features", "Matches", "Place", "Query", "Scored", "rank"]
