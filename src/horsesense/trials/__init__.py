"""What is shown to a model: trials with their variants, orders and conditions."""
