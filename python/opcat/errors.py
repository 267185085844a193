# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: one exception for each status of the library."""
from __future__ import annotations

import enum
from typing import Dict, Type


class Status(enum.IntEnum):
    """The library's statuses, `OPCAT_...` in opcat.h."""

    OK = 0
    NOT_FOUND = 1
    INVALID = 2
    NOT_A_CATALOG = 3
    NEWER_SCHEMA = 4
    CORRUPT = 5
    BUSY = 6
    CANTOPEN = 7
    IO = 8
    NOMEM = 9
    MISUSE = 10


class OpcatError(Exception):
    """A call of the library failed. `status`, a Status, says how, and the text what happened, in one line."""

    status: int = Status.MISUSE


class NotFound(OpcatError, LookupError):
    """There is no such family or kind; the text lists those there are, the nearest name first."""

    status = Status.NOT_FOUND


class Invalid(OpcatError, ValueError):
    """What the caller declares cannot be right."""

    status = Status.INVALID


class NotACatalog(OpcatError):
    """The file is not an opcat catalog."""

    status = Status.NOT_A_CATALOG


class NewerSchema(OpcatError):
    """The catalog is of a newer schema than the library reads; the text names file, versions and what to do."""

    status = Status.NEWER_SCHEMA


class Corrupt(OpcatError):
    """The catalog is damaged."""

    status = Status.CORRUPT


class Busy(OpcatError):
    """The catalog is being changed in place, or was since it was opened; `Catalog.refresh()` mends the latter."""

    status = Status.BUSY


class CantOpen(OpcatError):
    """The catalog cannot be opened: there is none, it is a folder, or may not be read."""

    status = Status.CANTOPEN


class ReadFailed(OpcatError):
    """Reading the catalog failed."""

    status = Status.IO


class NoMemory(OpcatError, MemoryError):
    """Memory is out."""

    status = Status.NOMEM


class Misuse(OpcatError):
    """The library was called in a way it does not allow; a closed catalog was asked, for one."""

    status = Status.MISUSE


_BY_STATUS: Dict[int, Type[OpcatError]] = {
    int(kind.status): kind
    for kind in (NotFound, Invalid, NotACatalog, NewerSchema, Corrupt, Busy, CantOpen, ReadFailed, NoMemory, Misuse)
}


def error_of(status: int, message: str) -> OpcatError:
    """The exception for a status; one that only a later library has is a plain OpcatError with its number."""
    error = _BY_STATUS.get(status, OpcatError)(message)
    error.status = Status(status) if status in _BY_STATUS else status
    return error


class ModelSpecError(ValueError):
    """What is stated of a model's ops or family cannot be right; the text names where and what."""
