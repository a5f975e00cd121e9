"""The jinja2 environment: the loader, the sandbox and its budget, the reference page."""
