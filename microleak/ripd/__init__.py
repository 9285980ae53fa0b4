"""The impact report on the protection of personal data (RIPD, LGPD art. 38)."""
