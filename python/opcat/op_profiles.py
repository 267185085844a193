# SPDX-License-Identifier: Apache-2.0
"""Op profiles as HyperParallel's `_op_profiles` gives them, from a catalog: to be imported in its place.

The catalog is the one that $OPCAT_CATALOG names, or else the one installed with the library. It is opened when first
needed and read in one generation; `load_op_profile.cache_clear()` or `known_archs.cache_clear()` has it opened anew.
Where it cannot be opened or read, the functions raise an opcat.OpcatError.
"""
from __future__ import annotations

import functools
import logging
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from .catalog import Catalog, Trait
from .errors import ModelSpecError, NotFound
from .records import LayerKind, OpCounts, Profile, Run, declared_counts, in_order

__all__ = [
    "ATTENTION_FLAVOURS",
    "DEFAULT_ARCH",
    "DEFAULT_RUN",
    "FFN_FLAVOURS",
    "LayerKind",
    "MODEL_DEFAULT_KEYS",
    "ModelSpecError",
    "OpCounts",
    "OpProfile",
    "VISION_ARCH",
    "family_profile",
    "infer_arch",
    "infer_qk_norm",
    "infer_qkv_bias",
    "infer_shared_expert_gate",
    "known_archs",
    "load_op_profile",
    "resolve_ops",
]

logger = logging.getLogger(__name__)

# The family of a name that no rule claims, and the one that prices every vision tower.
DEFAULT_ARCH = "default"
VISION_ARCH = "vision"

ATTENTION_FLAVOURS = ("full", "linear")
FFN_FLAVOURS = ("dense", "moe")

# The run where neither the run nor the family states a field.
DEFAULT_RUN: Mapping[str, Any] = MappingProxyType(asdict(Run()))
# The model facts that a family may state.
MODEL_DEFAULT_KEYS = ("v_head_dim",)


def _no_facts() -> Mapping[str, int]:
    return MappingProxyType({})


@dataclass(frozen=True)
class OpProfile:
    """The profile of one family.

    `layer_kinds` has every kind by name, in the order of the profile's file; `default` names the one that a layer takes
    where nothing says otherwise, or is None. `run` has every field, `model` the facts that the family states; both are
    read-only.
    """

    arch: str
    layer_kinds: Dict[str, LayerKind]
    default: Optional[str] = None
    run: Mapping[str, Any] = field(default_factory=lambda: DEFAULT_RUN)
    model: Mapping[str, int] = field(default_factory=_no_facts)

    @property
    def kinds(self) -> Dict[str, OpCounts]:
        """Each kind's op counts, by its name; a new dictionary."""
        return {name: kind.ops for name, kind in self.layer_kinds.items()}

    def counts(self, kind: str) -> OpCounts:
        """The op counts of one kind; ModelSpecError, naming the kinds there are, where there is none of that name."""
        return self.kind(kind).ops

    def kind(self, name: str) -> LayerKind:
        """One kind; ModelSpecError, naming the kinds there are, where there is none of that name."""
        if name not in self.layer_kinds:
            raise ModelSpecError(
                f"op profile {self.arch!r} has no layer kind {name!r}; it has {in_order(self.layer_kinds)}"
            )
        return self.layer_kinds[name]

    # A read-only view can be neither pickled nor copied deeply; what it shows can.
    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "run": dict(self.run), "model": dict(self.model)}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        read_only = {"run": MappingProxyType(state["run"]), "model": MappingProxyType(state["model"])}
        self.__dict__.update({**state, **read_only})


_opened: Optional[Catalog] = None


def _catalog() -> Catalog:
    # Two threads may open one each; the one that is not kept closes itself.
    global _opened
    catalog = _opened
    if catalog is None:
        catalog = _opened = Catalog()
    return catalog


def _forgets_catalog(clear: Callable[[], None]) -> Callable[[], None]:
    """A cache_clear() that has the next reading open the catalog anew: of another generation, or another one."""

    @functools.wraps(clear)
    def cache_clear() -> None:
        global _opened
        # Not closed: another thread may be asking it. It closes itself with its last user.
        _opened = None
        clear()

    return cache_clear


@functools.lru_cache(maxsize=None)
def known_archs() -> Tuple[str, ...]:
    """Every family that the catalog has, sorted. Remembered until `known_archs.cache_clear()`."""
    return _catalog().known_archs()


@functools.lru_cache(maxsize=None)
def load_op_profile(arch: str) -> OpProfile:
    """The profile of a family; the same object each time, until `load_op_profile.cache_clear()`.

    ModelSpecError, naming the families there are, where there is none of that name.
    """
    known = known_archs()
    if arch in known:
        try:
            return _op_profile(_catalog().load_profile(known[known.index(arch)]))
        except NotFound:
            # The list was remembered over a change of catalogs.
            known = _catalog().known_archs()
    raise ModelSpecError(f"unknown arch {arch!r}; the op profiles are {list(known)}")


# An attribute of its own hides the one that a cached function has of its type.
setattr(known_archs, "cache_clear", _forgets_catalog(known_archs.cache_clear))
setattr(load_op_profile, "cache_clear", _forgets_catalog(load_op_profile.cache_clear))


def _op_profile(profile: Profile) -> OpProfile:
    return OpProfile(
        profile.arch,
        {kind.name: kind for kind in profile.kinds},
        None if profile.default_kind is None else profile.default_kind.name,
        MappingProxyType(asdict(profile.run)),
        MappingProxyType({name: fact for name, fact in asdict(profile.model).items() if fact is not None}),
    )


def family_profile(arch: Optional[str]) -> OpProfile:
    """The profile of a family, or that of the family `default` where `arch` is None or no family's name."""
    return load_op_profile(arch if arch is not None and arch in known_archs() else DEFAULT_ARCH)


def infer_arch(name: Any) -> str:
    """The family that a free-text model name, read by str(), belongs to: that of the longest prefix it opens with.

    Without one it is `default`, which is said in one warning per lower-cased name and process. For producers that have
    no better source; a model that declares its family is never asked for its name.
    """
    arch, warning = _catalog()._infer_arch(name)
    if warning is not None:
        logger.warning(
            "no op profile matches model %r, pricing it as %r; declare arch to choose one", name, DEFAULT_ARCH
        )
    return arch


def infer_qk_norm(name: Any) -> bool:
    """Whether the attention of a model of that name normalizes each head's queries and keys."""
    return _catalog().infer_trait(name, Trait.QK_NORM)


def infer_qkv_bias(name: Any) -> bool:
    """Whether the query, key and value projections of a model of that name have a bias."""
    return _catalog().infer_trait(name, Trait.QKV_BIAS)


def infer_shared_expert_gate(name: Any) -> bool:
    """Whether in a model of that name a gate scales the shared expert's output."""
    return _catalog().infer_trait(name, Trait.SHARED_EXPERT_GATE)


def resolve_ops(arch: str, ops: Optional[Mapping[str, OpCounts]] = None) -> Dict[str, OpCounts]:
    """The op counts per kind that a model of the family is priced with; a new dictionary, in the profile's order.

    The profile's own; or the declared `ops`, which must name exactly the profile's kinds, each count from 0.
    ModelSpecError where they do not, or where there is no such family.
    """
    profile = load_op_profile(arch)
    if ops is None:
        return profile.kinds
    if set(ops) != set(profile.layer_kinds):
        raise ModelSpecError(
            f"ops declares layer kinds {in_order(ops)}, but arch {arch!r} prices {in_order(profile.layer_kinds)}"
        )
    for kind, counts in ops.items():
        declared_counts(counts, f"ops.{kind}")
    return {name: ops[name] for name in profile.layer_kinds}
