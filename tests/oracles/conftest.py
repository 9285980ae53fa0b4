"""What of this folder is no test: a script of another environment."""

collect_ignore = ["record_pycanon.py"]
