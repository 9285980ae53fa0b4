"""What a file that somebody else protected or made gives away."""

from microleak.family import Family

FAMILY = Family("published_file")
