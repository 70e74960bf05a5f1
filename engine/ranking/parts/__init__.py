"""What does the score of an element consist of? One file for each part; `catalogue` lists them in order and adds up."""
