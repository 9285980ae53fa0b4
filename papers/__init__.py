"""The papers, rerun: what they print beside what microleak measures in its place.

`microleak run config/papers/NAME.yaml` measures, `python -m papers NAME` compares and
writes docs/papers/NAME.csv and docs/papers/NAME.md (docs/decisions/0026-papers.md).
"""
