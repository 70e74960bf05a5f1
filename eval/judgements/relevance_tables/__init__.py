"""What does a set of judgements look like in numbers, by kind of element?"""
