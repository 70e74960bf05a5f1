"""Which characters are highlighted, and which of them do results return?"""
