"""Which values can a setting have? A parser and a formatter for each kind."""
