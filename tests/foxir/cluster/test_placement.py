"""On which nodes the copies of a shard are."""

from __future__ import annotations

from foxir.cluster.cluster import better_node, nodes_of


def test_a_node_more_moves_only_what_it_takes() -> None:
    before, after = ["a", "b", "c"], ["a", "b", "c", "d"]
    shards = range(200)
    moved = [shard for shard in shards if nodes_of(shard, before, 1) != nodes_of(shard, after, 1)]
    assert all(nodes_of(shard, after, 1) == ["d"] for shard in moved)
    assert 20 < len(moved) < 90  # a quarter of 200 is expected
    assert all(len(set(nodes_of(shard, after, 2))) == 2 for shard in shards)
    assert nodes_of(1, ["a"], 2) == ["a", "a"]


def test_two_copies_on_one_node_part_when_another_one_comes() -> None:
    alive, placed = ["a"], ["a", "a"]
    assert [better_node(5, copy, placed, alive) for copy in (0, 1)] == [None, None]
    assert [better_node(5, copy, placed, ["a", "b"]) for copy in (0, 1)] == [None, "b"]
    assert [better_node(5, copy, ["a", "b"], ["a", "b", "c", "d"]) for copy in (0, 1)] == [None, None]
    assert better_node(5, 0, ["a", "b"], ["b"]) == "b"  # better there than nowhere
    assert better_node(5, 0, ["a", "b"], []) is None
    for nodes in (["b", "c", "d"], ["d", "b", "c"]):
        assert better_node(5, 0, ["a", "b"], nodes) == next(each for each in nodes_of(5, nodes, 3) if each != "b")
