"""From source files to flat documents."""
