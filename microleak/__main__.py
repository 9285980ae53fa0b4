"""`python -m microleak` is the `microleak` command."""

import sys

from microleak.cli import main

sys.exit(main())
