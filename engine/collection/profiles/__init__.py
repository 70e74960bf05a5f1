"""What do the tags of a vocabulary mean for retrieval?"""
