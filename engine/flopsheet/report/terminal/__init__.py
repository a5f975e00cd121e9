"""Text for a terminal: answers on one screen, tables that fit its width, sheets and records."""
