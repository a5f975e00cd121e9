"""Answers: from a question to values, reasons, checks and elasticities."""
