"""Orders in what a host printed: found, quoted and never followed.

``find`` looks at a whole text; a ``Watch`` takes it in pieces as it arrives and comes to the
same, whatever the pieces. What an order looks like is data (``signs.yaml``).
"""

from walissh.safety.inject.watch import MAX_CHARS, MAX_FLAGS, Watch, find

__all__ = ["MAX_CHARS", "MAX_FLAGS", "Watch", "find"]
