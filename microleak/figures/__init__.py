"""Pure drawings: a tidy table in, SVG text out."""
