"""What vouches for results: manifest, crate, descriptions, and making them again."""
