"""What does each measure give each run? One table of all scores, with notices on what was left out."""
