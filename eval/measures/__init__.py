"""One small file a measure family, one registry."""
