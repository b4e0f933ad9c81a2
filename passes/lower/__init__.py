"""Programs to other programs: what a device or an API lacks is expressed with what it has."""
