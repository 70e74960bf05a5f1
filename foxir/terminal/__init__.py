"""How do commands speak and listen? The tree of commands, help, output, files, exit statuses; no command itself."""
