"""Which elements can be answers, whatever their score? By kind, length, and share of titles."""
