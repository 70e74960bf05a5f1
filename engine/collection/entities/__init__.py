"""What do entity references stand for?

Declarations, catalogs of local DTDs, and the replacement of references before a document is parsed. Useful for
documents whose DTD is not at hand. Nothing is fetched, and entities that a document defines itself are the parser's.
"""
