"""How do files become an index?

Sources -> changed documents -> batches -> parts -> one segment -> the manifest, replaced.
"""
