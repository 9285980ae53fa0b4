"""What several independent releases tell together of who is in all of them."""
