"""Definitions of what tables of counts prove."""
