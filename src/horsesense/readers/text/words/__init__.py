"""Words: one spelling for many, and the wordings that announce, withdraw or decline a choice."""
