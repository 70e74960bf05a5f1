"""From text to words, terms and sentences."""
