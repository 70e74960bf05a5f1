"""From a query to answers."""
