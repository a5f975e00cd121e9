"""Layout of formulas: a tree of nodes, where its lines break, and the formats that it is written in."""
