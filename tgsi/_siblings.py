"""A clear word when another `passes`, `linkage` or `backends` stands before ours on the import path."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

SIBLINGS = ("passes", "linkage", "backends")


def check() -> None:
    """Raise ImportError if one of our packages is missing, or is somebody else's. Nothing is imported."""
    home = Path(__file__).resolve().parent.parent
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
