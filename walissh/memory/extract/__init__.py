"""What a text teaches: preferences of a person, facts of a host, cases and their fixes."""
