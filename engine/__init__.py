"""How are the elements found that answer a query?

Collections of XML documents become indexes, queries become ranked elements, topics become runs. It knows nothing of
judgements (`eval`), and of no front end (`foxir`).
"""
