"""``python -m toile`` is the same as ``toile``."""

import sys

from toile.cli import main

sys.exit(main())
