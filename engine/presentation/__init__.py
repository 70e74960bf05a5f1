"""How does a person read an answer? Titles above it, snippets, text in lines."""
