"""Files that are not local: Parquet, which pyarrow reads where it is, and copies of what the runtime reads.

A path with a scheme ("s3://bucket/part-*.csv", "gs://", "memory://") is one of fsspec; "file://" is local.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mlc.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+)://")
_IN_USE_SECONDS = 3600
"""What was used in the last hour is not removed: a run may be about to open it."""
_BLOCK = 1 << 22


def scheme_of(path: str) -> str | None:
    """The scheme of a path that is not local; None of a local one."""
    found = _SCHEME.match(path)
    return None if found is None or found[1].lower() == "file" else found[1]


def local_path(path: str) -> str:
    """A local path without "file://"."""
    return path.removeprefix("file://") if _SCHEME.match(path) else path


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise ImportError(f"paths with a scheme are opened by fsspec, which cannot be imported: {error}") from None
    return fsspec


def _open_url(url: str) -> tuple[Any, str]:
    """fsspec's filesystem of a URL, and the path in it. DataError for a scheme that it does not know."""
    try:
        filesystem, path = _fsspec().core.url_to_fs(url)
    except (ValueError, ImportError, OSError) as error:
        raise DataError(f"'{url}' cannot be opened: {error}") from None
    return filesystem, path


def arrow_filesystem(paths: Sequence[str], filesystem: Any) -> tuple[Any, list[str]]:
    """A filesystem for pyarrow, None for local paths, and the paths in it.

    Args:
      filesystem: of pyarrow.fs or fsspec; None: that of the scheme, which all paths share.

    Raises DataError: paths of several schemes.
    """
    if filesystem is not None:
        return filesystem, list(paths)
    schemes = {scheme_of(path) for path in paths}
    if len(schemes) > 1:
        raise DataError(f"paths are of several filesystems: {', '.join(paths)}; expected one")
    if schemes == {None}:
        return None, [local_path(path) for path in paths]
    opened = [_open_url(path) for path in paths]
    return opened[0][0], [path for _, path in opened]


# Copies


def _cache_directory() -> Path:
    from pathlib import Path  # with what parses addresses, which takes a while; as below

    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "mlc", "remote")


def _cache_bytes() -> int:
    text = os.environ.get("MLC_REMOTE_CACHE_BYTES", str(20 << 30))
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"MLC_REMOTE_CACHE_BYTES is {text!r}; expected a number of bytes")
    return int(text)


def local_copies(urls: Sequence[str]) -> list[str]:
    """Copies of the files that URLs, or patterns, of fsspec match; sorted by path they are in the order of the URLs.

    A copy stays until the cache, $XDG_CACHE_HOME/mlc/remote, would have more than MLC_REMOTE_CACHE_BYTES (20 GiB); it is
    used again as long as the files have the same sizes and versions.

    Raises DataError: nothing matches, a file cannot be read, or the files are larger than the cache.
    """
    import hashlib

    files = [file for url in urls for file in _matching(url)]
    names = [f"{number:05d}-{os.path.basename(file.path)}" for number, file in enumerate(files)]
    version = hashlib.sha256("\0".join(file.version for file in files).encode()).hexdigest()
    directory = _cache_directory() / version[:32]
    if not directory.is_dir():
        _make_room(sum(file.size for file in files), ", ".join(urls))
        _copy(files, names, directory)
    os.utime(directory)
    return [str(directory / name) for name in names]


class _File(NamedTuple):
    """A file that is not local. `version` changes where it does."""

    filesystem: Any
    path: str
    size: int
    version: str


def _matching(url: str) -> list[_File]:
    """The files of a URL or pattern, sorted. DataError if there is none."""
    filesystem, pattern = _open_url(url)
    try:
        paths = sorted(filesystem.glob(pattern)) if any(c in pattern for c in "*?[") else [pattern]
        infos = [filesystem.info(path) for path in paths]
    except FileNotFoundError:
        infos = []
    except OSError as error:
        raise DataError(f"'{url}' cannot be read: {error}") from None
    files = []
    for info in infos:
        if info.get("type") == "directory":
            continue
        if info.get("size") is None:
            raise DataError(f"'{url}': the filesystem does not tell how large '{info['name']}' is")
        known = [str(info.get(key)) for key in ("size", "etag", "ETag", "mtime", "LastModified", "updated", "created")]
        version = "\n".join([str(filesystem.protocol), info["name"], *known])
        files.append(_File(filesystem, info["name"], int(info["size"]), version))
    if not files:
        raise DataError(f"no file matches '{url}'")
    return files


def _make_room(needed: int, what: str) -> None:
    """Removes copies, those first whose last use is longest ago. DataError where that does not do."""
    import shutil

    limit = _cache_bytes()
    cache = _cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    entries = sorted((entry.stat().st_mtime, entry) for entry in cache.iterdir() if entry.is_dir())
    sizes = {entry: sum(f.stat().st_size for f in entry.iterdir()) for _, entry in entries}
    total = sum(sizes.values())
    for used, entry in entries:
        if total + needed <= limit:
            break
        if time.time() - used > _IN_USE_SECONDS:
            shutil.rmtree(entry, ignore_errors=True)
            total -= sizes[entry]
    if total + needed > limit:
        raise DataError(
            f"'{what}' has {needed} bytes, and the cache '{cache}' holds {total} that were used lately; expected "
            f"{limit} together at most: set MLC_REMOTE_CACHE_BYTES"
        )


def _copy(files: Sequence[_File], names: Sequence[str], directory: Path) -> None:
    """Copies the files to a directory that is there when all are."""
    import shutil
    import tempfile

    unfinished = tempfile.mkdtemp(prefix="unfinished-", dir=directory.parent)
    try:
        for (filesystem, path, size, _), name in zip(files, names, strict=True):
            try:
                with filesystem.open(path, "rb") as source, open(os.path.join(unfinished, name), "wb") as target:
                    shutil.copyfileobj(source, target, _BLOCK)
                    copied = target.tell()
            except OSError as error:
                raise DataError(f"'{path}' cannot be copied: {error}") from None
            if copied != size:
                raise DataError(f"'{path}' has {copied} bytes; expected {size}: it changed while it was copied")
        os.replace(unfinished, directory)
    except OSError:
        if not directory.is_dir():  # another process may have made the same
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
