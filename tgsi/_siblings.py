"""Check that `passes`, `linkage`, `frontends` and `backends` come from the same checkout as `tgsi`, not from elsewhere on the import path.

In an installed tgsi these four lie below it, and no other package can hide them.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

SIBLINGS = ("passes", "linkage", "frontends", "backends")


def check() -> None:
    """Raise ImportError if one of our packages is missing, or comes from another place. The check imports none of them."""
    here = Path(__file__).resolve().parent
    if (here / SIBLINGS[0]).is_dir():
        return  # installed
    home = here.parent
    for name in SIBLINGS:
        spec = find_spec(name)
        places = [] if spec is None else [Path(place).resolve() for place in spec.submodule_search_locations or ()]
        if home / name in places[:1]:
            continue
        where = str(places[0]) if places else "nowhere"
        raise ImportError(
            f"tgsi needs its own package {name!r} from {home}, but Python finds {where}. "
            f"Rename or remove that {name!r}, or put {home} before it on sys.path."
        )
