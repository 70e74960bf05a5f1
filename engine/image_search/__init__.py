"""Which elements have images like this one? Scores of images, fused with those of words."""
