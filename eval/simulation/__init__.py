"""How well could a run do at best? The ideal run of one kind of relevant element."""
