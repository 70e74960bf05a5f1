"""What is the score of a unit by a Q-expression? Expressions evaluated with the statistics of an index."""
