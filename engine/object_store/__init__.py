"""How is an index in object storage (S3, Google Cloud Storage, Azure, file) read and written?

Through a local copy: `mirror` brings an ordinary index folder to a generation, `publishing` stores the segments that
a build made of it. Useful where several machines read one index. Not needed by anything that has a folder.
"""
