"""How is a search over shards one search? Sessions, exchanges, merged answers."""
