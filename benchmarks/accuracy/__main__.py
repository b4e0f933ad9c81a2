"""python -m benchmarks.accuracy: the table of errors."""

from benchmarks.accuracy.table import main

raise SystemExit(main())
