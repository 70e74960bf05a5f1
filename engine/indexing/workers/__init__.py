"""How are documents read side by side?

`document_reading` cuts them into batches; a worker process (`build_worker`) turns a batch into parts on disk within
its memory, by inverting columns of `engine.collection.markup`. Useful for every reader of batches, also on other
machines. Not for what needs the whole index, such as merging.
"""
