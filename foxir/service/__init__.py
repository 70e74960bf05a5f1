"""The service: pages and a JSON API to search, read, judge and compare, over open indexes (`foxir serve`)."""
