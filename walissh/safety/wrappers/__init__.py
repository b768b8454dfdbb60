"""Programs that start another one: what is inside them, told by their own words exactly.

A word of theirs that is not known makes the whole opaque: it may be the one that matters.
"""
