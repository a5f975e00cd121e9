"""Reads the configuration files of models from elsewhere as records."""
