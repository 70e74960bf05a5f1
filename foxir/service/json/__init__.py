"""What can a program ask? The JSON interface and its description."""
