"""Pictures of an answer: dependency graph, tornado, waterfall."""
