"""Answers as pictures: dependency graph, tornado, waterfall."""
