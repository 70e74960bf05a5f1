"""What can a program ask the service? The JSON interface, its parameters and records, and their description."""
