"""How alike are two images?

Features of an image, colours and textures in exact integers, computed in a process of their own, and scores of images
for example images. Useful without any index. Not for finding images in one: `engine.index.images`.
"""
