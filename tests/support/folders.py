"""Where things lie that tests look at."""

from pathlib import Path

SUPPORT = Path(__file__).parent
"""what tests share"""
ROOT = SUPPORT.parents[1]
"""the project"""
