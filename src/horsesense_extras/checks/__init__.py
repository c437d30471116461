"""What `check` finds with answers of models, or by asking one."""
