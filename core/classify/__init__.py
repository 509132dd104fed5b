"""Text classification on frozen layers: data, features, networks, training, heads, and why a head says what it says."""
