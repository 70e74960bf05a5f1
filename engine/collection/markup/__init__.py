"""What are the elements, texts and attributes of a document?

The canonical markup of a batch as columns, one row per element, found without a tree of objects. Useful for inverting
documents and for the place of an element in its source. Not for parsing: `engine.collection.xml_reader` does that.
"""
