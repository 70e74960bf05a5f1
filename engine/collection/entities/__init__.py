"""What do entity references stand for? Declarations, catalogs, replacement before parsing."""
