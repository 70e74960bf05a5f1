"""Indexes in object storage (S3, Google Cloud Storage, Azure, file), read through copies on the local disk."""
