"""Statistics over runs: significance of differences, correlation and reliability of measures."""
