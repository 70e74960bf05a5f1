"""Which options do commands share? Each is defined once; those of settings are made of `engine.settings.catalogue`."""
