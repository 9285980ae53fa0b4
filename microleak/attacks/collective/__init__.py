"""Attacks on all persons at once: re-identification and attribute inference."""

from microleak.family import Family

FAMILY = Family("collective", functions=("assess", "panel"), part="report.pages:SHOWN")
