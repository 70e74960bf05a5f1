"""What does an element say? Texts, sentences and offsets of an open index; the sources that they were read from."""
