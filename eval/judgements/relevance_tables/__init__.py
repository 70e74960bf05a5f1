"""What do judgements look like in numbers?

Number, size and relevant share of judged elements by kind; printed by `foxir judgements stats`.
"""
