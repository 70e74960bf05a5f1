"""The search engine: indexes collections of XML documents and finds the elements that answer a query."""
