"""What does a person see? Pages over the same values as the JSON interface."""
