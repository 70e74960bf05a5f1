"""How will this query be answered? Every choice, made once, before anything is searched."""
