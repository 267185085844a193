# SPDX-License-Identifier: Apache-2.0
"""libopcat by ctypes: where it is looked for, its records and the types of its calls.

What stands here in lists is what `opcat.h` states; a test holds the two together.
"""
from __future__ import annotations

import ctypes
import os
import sysconfig
from typing import Any, Dict, List, Sequence, Tuple

# The oldest library that has every call made here. Of another major version none will do.
NEEDED = (0, 1, 0)
LIBRARY_NAME = f"libopcat.so.{NEEDED[0]}"

OP_NAMES = ("attMM", "attBMM", "ffMM", "softmax", "dropout", "normOp", "gather", "headCast", "ffAct", "linrec")

_SIZE = _COUNT = ctypes.c_int64
_FLAG = ctypes.c_bool
RUN_FIELDS: Sequence[Tuple[str, Any]] = (
    ("grad_bytes", _SIZE),
    ("optimizer_state_bytes", _SIZE),
    ("optimizer_states", _COUNT),
    ("main_param_bytes", _SIZE),
    ("norm_bytes", _SIZE),
    ("dropout_bytes", _SIZE),
    ("grad_accumulation", _FLAG),
    ("shard_activations", _FLAG),
    ("loss_parallel", _FLAG),
    ("reshard_params", _FLAG),
    ("deferred_grad_accumulation", _FLAG),
    ("overlapped_grad_reduce", _FLAG),
)

OPEN_AUTO_REFRESH = 0x1
OPEN_IMMUTABLE = 0x2


class COps(ctypes.Structure):
    """opcat_ops, of which the array that lies over the fields is left out."""

    _fields_ = [(name, ctypes.c_int64) for name in OP_NAMES]


class CRun(ctypes.Structure):
    """opcat_run."""

    _fields_ = list(RUN_FIELDS)


class CModel(ctypes.Structure):
    """opcat_model."""

    _fields_ = [("v_head_dim", ctypes.c_int64)]


class CLayerKind(ctypes.Structure):
    """opcat_layer_kind."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("attention", ctypes.c_char_p),
        ("ffn", ctypes.c_char_p),
        ("ops", COps),
    ]


class CProfile(ctypes.Structure):
    """opcat_profile; the default kind as an address, to be found among the kinds by it."""

    _fields_ = [
        ("arch", ctypes.c_char_p),
        ("kind_count", ctypes.c_size_t),
        ("kinds", ctypes.POINTER(CLayerKind)),
        ("default_kind", ctypes.c_void_p),
        ("run", CRun),
        ("model", CModel),
    ]


class CNames(ctypes.Structure):
    """opcat_names."""

    _fields_ = [("count", ctypes.c_size_t), ("names", ctypes.POINTER(ctypes.c_char_p))]


class CKindOps(ctypes.Structure):
    """opcat_kind_ops."""

    _fields_ = [("kind", ctypes.c_char_p), ("ops", COps)]


class CResolution(ctypes.Structure):
    """opcat_resolution."""

    _fields_ = [("count", ctypes.c_size_t), ("kinds", ctypes.POINTER(CKindOps))]


LOG_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)

# Handles and lent profiles are addresses. What a call fills in is given by reference, and so typed as an address, too.
_P = ctypes.c_void_p
_S = ctypes.c_char_p
SIGNATURES: Dict[str, Tuple[Any, List[Any]]] = {
    "opcat_version": (_S, []),
    "opcat_status_text": (_S, [ctypes.c_int]),
    "opcat_open": (ctypes.c_int, [_S, ctypes.c_uint, _P]),
    "opcat_close": (None, [_P]),
    "opcat_refresh": (ctypes.c_int, [_P, _P]),
    "opcat_errmsg": (_S, [_P]),
    "opcat_set_logger": (None, [_P, LOG_FN, _P]),
    "opcat_known_archs": (ctypes.c_int, [_P, _P]),
    "opcat_names_free": (None, [_P]),
    "opcat_load_profile": (ctypes.c_int, [_P, _S, _P]),
    "opcat_family_profile": (ctypes.c_int, [_P, _S, _P]),
    "opcat_profile_retain": (_P, [_P]),
    "opcat_profile_release": (None, [_P]),
    "opcat_infer_arch": (ctypes.c_int, [_P, _S, _P]),
    "opcat_infer_trait": (ctypes.c_int, [_P, _S, ctypes.c_int, _P]),
    "opcat_resolve_ops": (ctypes.c_int, [_P, _S, _P, ctypes.c_size_t, _P]),
    "opcat_resolution_free": (None, [_P]),
}


def version_fault(version: str) -> str:
    """What is wrong with a library of that version; "" where nothing is."""
    try:
        numbers = tuple(int(part) for part in version.split("."))
    except ValueError:
        return f"its version, {version!r}, cannot be read"
    needed = ".".join(map(str, NEEDED))
    if numbers < NEEDED:
        return f"it is version {version}, older than the {needed} that is needed"
    if numbers[0] != NEEDED[0]:
        return f"it is version {version}, and this package reads {NEEDED[0]}.x, from {needed} on"
    return ""


def folders_beside(package: str, multiarch: str) -> List[str]:
    """Where an installation that has the package in PREFIX/lib*/**/opcat may have its libraries, likeliest first."""
    above = package
    for _ in range(4):
        above = os.path.dirname(above)
        name = os.path.basename(above)
        if name in ("lib", "lib64"):
            prefix = os.path.dirname(above)
            folders = [above] + [os.path.join(prefix, other) for other in ("lib", "lib64") if other != name]
            return folders[:1] + ([os.path.join(prefix, "lib", multiarch)] if multiarch else []) + folders[1:]
    return []


def candidates() -> List[str]:
    """The libraries to try, in order. What $OPCAT_LIBRARY names is tried alone: whoever names one means that one."""
    named = os.environ.get("OPCAT_LIBRARY")
    if named:
        return [named]
    package = os.path.dirname(os.path.abspath(__file__))
    folders = folders_beside(package, sysconfig.get_config_var("MULTIARCH") or "")
    return [os.path.join(folder, LIBRARY_NAME) for folder in folders] + [LIBRARY_NAME]


def _typed(path: str) -> ctypes.CDLL:
    """The library at a path, its calls typed; OSError where it is not there, or is none that will do."""
    if os.path.isabs(path) and not os.path.exists(path):
        raise OSError("there is no such file")
    library = ctypes.CDLL(path)
    try:
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
            if name == "opcat_version":
                fault = version_fault(function().decode("ascii", "replace"))
                if fault:
                    raise OSError(fault)
    except AttributeError as problem:
        raise OSError(f"it is no opcat library, or an older one: {problem}") from None
    return library


def load() -> ctypes.CDLL:
    """The library. ImportError, which names each path tried and what is wrong with it, where none will do."""
    tried = []
    for path in candidates():
        try:
            return _typed(path)
        except OSError as problem:
            tried.append(f"  {path}: {problem}")
    needed = ".".join(map(str, NEEDED))
    raise ImportError(
        f"the Python package opcat needs the library libopcat {needed} or newer, and found none. Tried:\n"
        + "\n".join(tried)
        + "\nInstall opcat (its library and this package come from one release), or set OPCAT_LIBRARY to the path of "
        + LIBRARY_NAME,
        name="opcat",
    )


LIB = load()
