"""All foreign programs that are known here."""
# Each of them registers its recipes.
from . import matter, numbers_r_octave, numbers_python, pictures, sequences, tools  # noqa: F401
from .recipes import RECIPES

__all__ = ["RECIPES", "matter", "numbers_python", "numbers_r_octave", "pictures", "sequences", "tools"]
