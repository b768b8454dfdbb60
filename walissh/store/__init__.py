"""The database, the queue and the secrets at rest: one module per aggregate."""
