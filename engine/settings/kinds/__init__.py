"""Which values can a setting have? A parser, a formatter and the types of each kind; no setting itself."""
