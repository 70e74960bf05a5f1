"""NEXI, the path query language of INEX: from text to a typed tree and back."""
