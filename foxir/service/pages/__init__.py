"""What does a person see? Pages over the same records as the JSON interface, rendered here and in templates."""
