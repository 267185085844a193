# SPDX-License-Identifier: Apache-2.0
"""A catalog, and what one may ask it."""
from __future__ import annotations

import ctypes
import enum
import logging
import os
import threading
import weakref
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type, Union

from . import _library
from ._library import LIB
from .errors import Corrupt, Invalid, Misuse, ModelSpecError, error_of
from .records import LayerKind, Model, OpCounts, Profile, Run, declared_counts

_logger = logging.getLogger("opcat")


class Trait(enum.IntEnum):
    """What a model's name can tell besides its family."""

    QK_NORM = 0
    QKV_BIAS = 1
    SHARED_EXPERT_GATE = 2


def _encoded(text: str) -> bytes:
    """Text for the library, whole: NUL, which would end it, and lone surrogates become bytes that no UTF-8 holds.

    So they match no name and no pattern, and what stands before and behind them still does.
    """
    if not isinstance(text, str):
        raise TypeError(f"a name must be a str, got {text!r}")
    encoded = text.encode("utf-8", "surrogatepass")
    return encoded.replace(b"\0", b"\xc0\x80") if b"\0" in encoded else encoded


def _message(said: bytes) -> str:
    """A text of the library's for people; its NULs, see above, as Python writes them."""
    return said.decode("utf-8", "backslashreplace").replace(r"\xc0\x80", r"\x00")


def _decoded(name: bytes) -> str:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        raise Corrupt(f"the catalog holds a name that is not UTF-8: {name!r}") from None


def _ops_of(ops: Any) -> OpCounts:
    return OpCounts(*(getattr(ops, name) for name in _library.OP_NAMES))


def _kind_of(kind: Any) -> LayerKind:
    ffn = None if kind.ffn is None else _decoded(kind.ffn)
    return LayerKind(_decoded(kind.name), _ops_of(kind.ops), _decoded(kind.attention), ffn)


def _profile_at(address: int) -> Profile:
    """The library's profile at an address, as Python's own record."""
    source = _library.CProfile.from_address(address)
    kinds = tuple(_kind_of(source.kinds[index]) for index in range(source.kind_count))
    default = None
    if source.default_kind:
        offset = source.default_kind - ctypes.addressof(source.kinds.contents)
        default = kinds[offset // ctypes.sizeof(_library.CLayerKind)]
    run = Run(**{name: getattr(source.run, name) for name, _ in _library.RUN_FIELDS})
    return Profile(_decoded(source.arch), kinds, default, run, Model(source.model.v_head_dim or None))


def _release(handle: int, profiles: Dict[int, Profile], hear: Any) -> None:
    """Give back all that a catalog holds of the library's. `hear`, which the handle calls, lives as long as it."""
    del hear
    for address in profiles:
        LIB.opcat_profile_release(address)
    profiles.clear()
    LIB.opcat_close(handle)


class Catalog:
    """An open catalog, to read from; close it, or use it in a `with` statement.

    It reads one generation of the file, so that its answers agree, until refresh(); with `auto_refresh` every call
    looks for a newer one first. `immutable` takes no locks, for a mount that has none and a file nobody changes in
    place. Without `path` it is the one that $OPCAT_CATALOG names, or else the one installed with the library.

    Threads may share a catalog, and take turns; it works on in the child of a fork. What it gives is the caller's, and
    outlives it.

    Every call can raise an OpcatError; opening CantOpen, NotACatalog, NewerSchema, Corrupt or Busy.
    """

    def __init__(
        self,
        path: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]", None] = None,
        *,
        auto_refresh: bool = False,
        immutable: bool = False,
    ) -> None:
        self._path = None if path is None else os.fsencode(path)
        if self._path is not None and b"\0" in self._path:
            raise ValueError("embedded null byte in a catalog's path")
        flags = (_library.OPEN_AUTO_REFRESH if auto_refresh else 0) | (_library.OPEN_IMMUTABLE if immutable else 0)
        self._lock = threading.RLock()
        self._handle: Optional[int] = None
        self._log: Optional[Callable[[str], object]] = _logger.warning
        # By their address in the library, where each is retained, so that no other comes to lie at its address.
        self._profiles: Dict[int, Profile] = {}
        self._said: List[bytes] = []
        said = self._said
        self._hear = _library.LOG_FN(lambda context, message: said.append(message))
        # What calls fill in; under the lock, one of each is enough.
        self._address = ctypes.c_void_p()
        self._to_address = ctypes.byref(self._address)
        self._flag = ctypes.c_bool()
        self._to_flag = ctypes.byref(self._flag)

        status: int = LIB.opcat_open(self._path, flags, self._to_address)
        handle = self._address.value
        if status or not handle:
            message = _message(LIB.opcat_errmsg(handle))
            LIB.opcat_close(handle)
            raise error_of(status, message)
        LIB.opcat_set_logger(handle, self._hear, None)
        self._handle = handle
        self._finalizer = weakref.finalize(self, _release, handle, self._profiles, self._hear)
        # At exit other threads may still be reading, and the system takes back everything.
        self._finalizer.atexit = False
        with _forking:
            _catalogs.add(self)

    def close(self) -> None:
        """Close the catalog; a closed one stays closed. What it gave stays as it is. Asking it raises Misuse."""
        with self._lock:
            if self._handle is not None:
                self._handle = None
                self._finalizer()

    def refresh(self) -> bool:
        """Whether the path now holds another generation, to which the catalog then has moved.

        Where moving fails it raises what opening would, and reads on in the generation it had.
        """
        with self._lock:
            self._check(LIB.opcat_refresh(self._opened(), self._to_flag))
            return self._flag.value

    def known_archs(self) -> Tuple[str, ...]:
        """Every family of the catalog, sorted."""
        with self._lock:
            self._check(LIB.opcat_known_archs(self._opened(), self._to_address))
            address = self._address.value
            assert address is not None
            try:
                names = _library.CNames.from_address(address)
                return tuple(_decoded(names.names[index]) for index in range(names.count))
            finally:
                LIB.opcat_names_free(address)

    def load_profile(self, arch: str) -> Profile:
        """The profile of a family; the same object each time, as long as the catalog stays on one generation.

        NotFound, which lists the families, the nearest name first, where there is none of that name.
        """
        encoded = _encoded(arch)
        with self._lock:
            self._check(LIB.opcat_load_profile(self._opened(), encoded, self._to_address))
            return self._profile()

    def family_profile(self, arch: Optional[str] = None) -> Profile:
        """As load_profile(), but for None or a name that is no family, the profile of the family `default`.

        NotFound only where the catalog has no `default`.
        """
        encoded = None if arch is None else _encoded(arch)
        with self._lock:
            self._check(LIB.opcat_family_profile(self._opened(), encoded, self._to_address))
            return self._profile()

    def infer_arch(self, name: object) -> str:
        """The family that a free-text model name, read by str(), belongs to.

        That of the longest prefix rule with which the name, its ASCII letters lower-cased, opens. Without one it is
        "default", which is said in one warning per lower-cased name and process: see set_logger().
        """
        arch, warning = self._infer_arch(name)
        if warning is not None and self._log is not None:
            self._log(warning)
        return arch

    def _infer_arch(self, name: object) -> Tuple[str, Optional[str]]:
        """As infer_arch(), but the warning, where one is due, is handed to the caller."""
        encoded = _encoded(str(name))
        with self._lock:
            self._check(LIB.opcat_infer_arch(self._opened(), encoded, self._to_address))
            said = [_message(message) for message in self._said]
            self._said.clear()
            return _decoded(ctypes.string_at(self._address.value or 0)), said[0] if said else None

    def infer_trait(self, name: object, trait: Trait) -> bool:
        """Whether a model of that name, read by str(), has the trait: whether the name contains one of its patterns."""
        encoded = _encoded(str(name))
        number = int(Trait(trait))
        with self._lock:
            self._check(LIB.opcat_infer_trait(self._opened(), encoded, number, self._to_flag))
            return self._flag.value

    def resolve_ops(self, arch: str, declared: Optional[Mapping[str, OpCounts]] = None) -> Dict[str, OpCounts]:
        """The op counts per kind that a model of the family is priced with, in the order of the profile's kinds.

        The profile's own; or, where given, the `declared` ones, which must name exactly the profile's kinds.
        NotFound for an unknown family; Invalid for a kind left out or unknown, or a count that is none, by its name.
        """
        if declared is not None and not declared:
            kinds = [kind.name for kind in self.load_profile(arch).kinds]
            raise Invalid(f"ops declares no kind; the kinds of family {arch!r} are {kinds}")
        encoded = _encoded(arch)
        count, array = _array_of(declared or {})
        with self._lock:
            self._check(LIB.opcat_resolve_ops(self._opened(), encoded, array, count, self._to_address))
            address = self._address.value
            assert address is not None
            try:
                found = _library.CResolution.from_address(address)
                return {
                    _decoded(found.kinds[index].kind): _ops_of(found.kinds[index].ops) for index in range(found.count)
                }
            finally:
                LIB.opcat_resolution_free(address)

    def set_logger(self, log: Optional[Callable[[str], object]]) -> None:
        """Send warnings, each one line of text, to `log`; with None nowhere. At first: to logging's "opcat"."""
        with self._lock:
            LIB.opcat_set_logger(self._opened(), self._hear if log else _library.LOG_FN(0), None)
            self._log = log

    def _opened(self) -> int:
        if self._handle is None:
            raise Misuse("the catalog is closed")
        return self._handle

    def _check(self, status: int) -> None:
        if status:
            raise error_of(status, _message(LIB.opcat_errmsg(self._handle)))

    def _profile(self) -> Profile:
        """The record of the profile that a call has just lent."""
        address = self._address.value
        assert address is not None
        known = self._profiles.get(address)
        if known is not None:
            return known
        profile = _profile_at(address)
        # What an earlier generation held of the family is not asked for any more.
        for stale in [place for place, other in self._profiles.items() if other.arch == profile.arch]:
            del self._profiles[stale]
            LIB.opcat_profile_release(stale)
        LIB.opcat_profile_retain(address)
        self._profiles[address] = profile
        return profile

    def __enter__(self) -> Catalog:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        path = "the default" if self._path is None else repr(os.fsdecode(self._path))
        return f"<opcat.Catalog {path}{', closed' if self._handle is None else ''}>"

    def __reduce__(self) -> Any:
        # A copy would share the handle, and outlive it.
        raise TypeError("a Catalog cannot be copied or pickled; open another")


def _array_of(declared: Mapping[str, OpCounts]) -> Tuple[int, Any]:
    """Declared counts as the library takes them. ctypes would cut off what does not fit, so each is checked."""
    array = (_library.CKindOps * len(declared))()
    for place, (kind, counts) in zip(array, declared.items()):
        try:
            checked = declared_counts(counts, f"ops.{kind}")
        except ModelSpecError as problem:
            raise Invalid(str(problem)) from None
        place.kind = _encoded(str(kind))
        place.ops = _library.COps(*checked.to_dict().values())
    return len(declared), array if declared else None


# Held from before a fork until after it, with the lock of every catalog.
_forking = threading.RLock()
_catalogs: "weakref.WeakSet[Catalog]" = weakref.WeakSet()
_held: List[Catalog] = []


def _before_fork() -> None:
    """Wait until no thread is inside the library: in the child it would never leave, nor give back its lock."""
    _forking.acquire()
    for catalog in list(_catalogs):
        catalog._lock.acquire()
        _held.append(catalog)


def _after_fork() -> None:
    while _held:
        _held.pop()._lock.release()
    _forking.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
