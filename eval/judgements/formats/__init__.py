"""What do the judgement files of each generation of INEX say?"""
