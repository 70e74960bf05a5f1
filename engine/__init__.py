"""foxir's engine: finds the right-sized elements of XML documents for a query."""
