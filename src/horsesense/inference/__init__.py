"""Put requests to a model and store what comes back."""
