"""A pack is found without running its code: this line would stop whoever imports it."""

raise RuntimeError("a pack was imported")
