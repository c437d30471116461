"""What plug-ins are tested with; part of the public surface."""
