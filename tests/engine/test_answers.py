from tests.engine.small_index import index_of


def test_a_child_named_like_the_root_counts_from_one(tmp_path):
    # DITA nests topic in topic: the root is no sibling of its children
    index = index_of(tmp_path, {"a": "<topic><topic>sea</topic><p/><topic>tide</topic><topic>sea</topic></topic>"})

    answers = index.search("sea", answers="matching", reading="CO")

    assert answers.paths == ["/topic[1]/topic[1]", "/topic[1]/topic[3]"]
