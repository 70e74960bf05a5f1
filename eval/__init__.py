"""foxir's evaluation package: scores runs against highlighted judgements."""
