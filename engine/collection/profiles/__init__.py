"""What do the tags of a vocabulary mean for retrieval?

A profile says which tags are inline, titles, tables, images; built-in ones are TOML files here, others extend them.
Useful for every step that depends on tags. Not for weights or settings of a search.
"""
