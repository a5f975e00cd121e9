"""Sentences of a page: what is asked, and what its table says."""
