"""What noise buys and costs where counts are published."""
