"""What do files, memory and processes of the system allow? Everything that differs between systems, in one place."""
