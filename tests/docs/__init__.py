"""What the documentation says can be done, found and computed."""
