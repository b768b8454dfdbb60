"""The gate: parse a command, judge it, decide; and clean what comes back."""
