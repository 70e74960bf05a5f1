"""How do source files become flat documents?

Sources are listed, their documents read safely, entities replaced, markup turned into columns by the rules of a
profile. Useful for builds, and for reading the source of a document again. Not for terms (`engine.text`) or anything
on disk.
"""
