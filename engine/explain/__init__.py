"""Why is an element an answer, or why not?

One search is looked at for one element: the stage that it reached, the filter that dropped it, its score part by part.
Nothing is decided or computed in another way than in the search itself.
"""
