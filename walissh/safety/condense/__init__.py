"""The part of an output that a model is shown: within a budget, with the lines' own numbers.

Read as a stream: an output of any size costs the memory of the budget and a page.
"""

from walissh.safety.condense.page import Page, page
from walissh.safety.condense.select import Condensed, condense

__all__ = ["Condensed", "Page", "condense", "page"]
