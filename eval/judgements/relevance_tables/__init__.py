"""Statistics of judgements: number, size and relevant share of elements by kind."""
