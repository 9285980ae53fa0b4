"""The definitions of the papers that several families share."""
