"""How are scores shown?

Tables, plots and reports of what `eval.scoring` and `eval.statistics` return; nothing is computed here.
"""
