# SPDX-License-Identifier: Apache-2.0
"""opcat: op profiles from a catalog, through the library libopcat.

    >>> import opcat
    >>> with opcat.Catalog() as catalog:
    ...     catalog.load_profile(catalog.infer_arch("Qwen3-8B")).kind("decoder").ops.softmax
    1

`opcat.op_profiles` gives the same as HyperParallel's `_op_profiles` does, to be imported in its place. Importing the
package raises an ImportError, which says what to do, where there is no library or only one that is too old.
"""
from ._library import LIB as _LIB
from .catalog import Catalog, Trait
from .errors import (
    Busy,
    CantOpen,
    Corrupt,
    Invalid,
    Misuse,
    ModelSpecError,
    NewerSchema,
    NoMemory,
    NotACatalog,
    NotFound,
    OpcatError,
    ReadFailed,
    Status,
)
from .records import LayerKind, Model, OpCounts, Profile, Run

__version__ = "0.1.0"


def library_version() -> str:
    """The version of the library in use, "MAJOR.MINOR.PATCH"."""
    version: bytes = _LIB.opcat_version()
    return version.decode("ascii")


__all__ = [
    "Busy",
    "CantOpen",
    "Catalog",
    "Corrupt",
    "Invalid",
    "LayerKind",
    "Misuse",
    "Model",
    "ModelSpecError",
    "NewerSchema",
    "NoMemory",
    "NotACatalog",
    "NotFound",
    "OpCounts",
    "OpcatError",
    "Profile",
    "ReadFailed",
    "Run",
    "Status",
    "Trait",
    "library_version",
]
