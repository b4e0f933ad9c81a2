"""TGSI text: read with carets, printed with every bit."""
