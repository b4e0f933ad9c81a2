"""A child process of a campaign: it tells on its output which seed begins, and what came of it."""

from __future__ import annotations

import faulthandler
import json
import resource
import signal
import sys
import traceback
from collections import Counter

from tests.campaigns.catalog import CAMPAIGNS, prepare

MEMORY = 12 << 30
"""Bytes of address space of a child: guard pages and threads take much of it, and none of it is memory."""

MAX_WORDS = 20_000  # characters of a report


def work(name: str, begin: int, end: int) -> None:
    """Run the seeds from `begin` to `end`, with a line of JSON for each begun seed, finished seed and finding."""
    campaign, out = CAMPAIGNS[name], sys.stdout
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)  # the runner asks where a seed hangs
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout = sys.stderr  # what modules print is not a line of ours
    prepare(campaign)
    module = campaign.module
    for seed in range(begin, end):
        print(json.dumps({"begin": seed}), file=out, flush=True)
        try:
            counts = module.attempt(seed)
        except Exception:  # each one is a finding
            counts = Counter(found=1)
            print(json.dumps({"found": seed, "report": traceback.format_exc()[-MAX_WORDS:]}), file=out)
        print(json.dumps({"done": seed, "counts": counts}), file=out, flush=True)


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
