"""The tasks of ``walissh eval``: each module has ``answer``, from lines to answers."""
