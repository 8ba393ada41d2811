"""Other distributions that install a package named mlc: files of two in one directory are none that works."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution

DISTRIBUTION = "mlc-estimator"


def _installed(directory: str, package: str) -> set[str] | None:
    """The names in the package's directory that our wheel installed, by the list beside it; None: there is none.

    Of importlib.metadata, which could tell, the import alone takes longer than that of this package.
    """
    site = os.path.dirname(directory)
    begin = DISTRIBUTION.replace("-", "_") + "-"
    try:
        info = next(n for n in os.listdir(site) if n.startswith(begin) and n.endswith(".dist-info"))
        with open(os.path.join(site, info, "RECORD"), encoding="utf-8") as record:
            paths = [line.split(",", 1)[0].split("/") for line in record]
    except (OSError, StopIteration):
        return None
    return {path[1] for path in paths if len(path) > 1 and path[0] == package}


def _top_names(distribution: Distribution, package: str) -> set[str]:
    """The names in the package's directory that a distribution installed."""
    files = distribution.files or []
    return {file.parts[1] for file in files if len(file.parts) > 1 and file.parts[0] == package}


def check(directory: str, package: str = "mlc") -> None:
    """Raises ImportError where `directory`, the package's, has files of another distribution than ours.

    Costs a look into the directory and into our own list of files, unless there is something else in it.
    """
    ours = _installed(directory, package)
    if ours is None:
        return  # a build tree
    foreign = set(os.listdir(directory)) - ours - {"__pycache__"}
    if not foreign:
        return
    from importlib import metadata

    others = sorted(
        name
        for other in metadata.distributions()
        if (name := other.metadata["Name"]) and name != DISTRIBUTION and foreign & _top_names(other, package)
    )
    if others:
        raise ImportError(
            f"'{directory}' holds files of {' and '.join([*others, DISTRIBUTION])}, which install a package of the same "
            f"name: use environments of their own, or pip uninstall {' '.join([*others, DISTRIBUTION])}, then "
            f"pip install {DISTRIBUTION}"
        )
