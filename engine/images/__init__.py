"""Content-based image retrieval: features of images, and scores of images for example images."""
