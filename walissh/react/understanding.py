"""What a message is meant to do: rules first, the model only when no rule is sure."""

from walissh.react.turn import DynamicContext, Intended, Intent


class RuleUnderstanding:
    """The rules alone."""

    def intent_of(self, context: DynamicContext) -> Intended:
        """Say what the question of this turn is meant to do."""
        return Intended(Intent.QUERY, 0.0, "rule")
