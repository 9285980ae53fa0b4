"""Parameters of the twin of the survey of students' health, read from pense.yaml."""

from functools import lru_cache

from microleak.sources.twin.settings import Settings, read_settings


@lru_cache(maxsize=1)
def pense() -> Settings:
    """Parameters of pense.yaml and country.yaml."""
    return Settings(read_settings("pense"))
