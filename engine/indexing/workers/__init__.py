"""How do processes read documents side by side?"""
