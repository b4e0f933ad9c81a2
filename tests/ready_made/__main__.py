"""`python -m tests.ready_made` records backends/ready_made/requests.txt on a machine of level x86-64-v4, in about three minutes."""

import json
import sys

from tests.ready_made.record import record, record_here

if sys.argv[1:] == ["--here"]:
    print(json.dumps(record_here()))
else:
    record()
