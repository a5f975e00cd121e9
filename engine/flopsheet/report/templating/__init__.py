"""The jinja2 environment: where templates are found, what they see, what bounds them."""
