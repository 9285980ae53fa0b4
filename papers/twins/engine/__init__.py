"""What all twins share: draws, persons, municipalities, and text."""
