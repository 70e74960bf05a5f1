"""Where does a term occur? Postings of articles (a Whoosh index) and of leaves."""
