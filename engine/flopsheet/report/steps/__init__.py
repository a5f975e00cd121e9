"""The steps of a derivation: which an answer uses, and with how many digits its numbers are printed."""
