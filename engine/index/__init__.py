"""What lies on disk: articles (Whoosh), elements (numpy), texts, segments, the manifest."""
