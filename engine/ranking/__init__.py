"""Which elements answer the query best? The default search, from ranked articles to selected elements."""
