"""From files to flat documents."""
