"""Files of a user's folder."""
import os


def files_below(folder, ending):
    """Sorted paths of files whose names end so; none without a folder."""
    found = []
    for place, _, names in os.walk(folder) if folder else ():
        found += [os.path.join(place, name) for name in names if name.endswith(ending)]
    return sorted(found)
