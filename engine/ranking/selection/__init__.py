"""Which candidates stay? Order, overlap, budgets, scopes, rows of long tables."""
