"""Why an element is an answer, or why not."""
