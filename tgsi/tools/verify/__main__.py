"""``python -m tgsi.tools.verify``."""

import sys

from tgsi.tools.verify.cli import main

if __name__ == "__main__":
    sys.exit(main())
