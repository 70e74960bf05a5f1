"""Who may ask, how much at once, for how long? HTTP, limits, sessions, problems; nothing of what is asked."""
