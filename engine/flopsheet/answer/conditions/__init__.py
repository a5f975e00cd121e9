"""Conditions on one unknown: each a relation with the values that meet it, solved one after the other."""
