"""Fitting a talk into the model's window: tokens, strategies and the summary of what left."""
