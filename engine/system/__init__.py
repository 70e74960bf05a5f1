"""What do files, memory and processes of the system allow?

Regular files are read and replaced safely, within bounds, and errors get plain reasons. Useful for all that touches a
file or a process; whatever differs between systems is here. Not for formats of files.
"""
