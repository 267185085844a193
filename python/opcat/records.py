# SPDX-License-Identifier: Apache-2.0
"""What a catalog holds of a family, as frozen dataclasses that compare by value."""
from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from .errors import ModelSpecError, NotFound

_LARGEST = 2**63 - 1


def in_order(names: Iterable[Any]) -> List[Any]:
    """Names in order for a message; where they are of kinds that have none among them, by how they are written."""
    listed = list(names)
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=repr)


def _count(value: Any, name: str) -> int:
    """The count that a value states as a profile's `ops` may: see OpCounts.from_dict()."""
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ModelSpecError(f"{name} must be a whole number, got {value!r}")
    if value is None:
        raise ModelSpecError(f"{name} must be a non-negative count, got {value!r}")
    try:
        # Of what is no number and no text, only what counts as an integer by itself, as NumPy's do.
        count = int(value) if isinstance(value, (str, float)) else operator.index(value)
    except (TypeError, ValueError):
        raise ModelSpecError(f"{name} must be an integer, got {value!r}") from None
    if count < 0:
        raise ModelSpecError(f"{name} must be a non-negative count, got {value!r}")
    if count > _LARGEST:
        raise ModelSpecError(f"{name} must be at most {_LARGEST}, got {value!r}")
    return count


@dataclass(frozen=True)
class OpCounts:
    """The op vector: how often one layer runs each op that the cost model prices."""

    attMM: int  # attention projections: query, key, value, output
    attBMM: int  # attention batched matrix products: scores, and weighted values
    ffMM: int  # feed-forward projections; 3 for a gated one
    softmax: int
    dropout: int
    normOp: int
    gather: int  # gathers over the tensor-parallel group
    headCast: int  # casts of the per-head score tensor
    ffAct: int  # feed-forward activation functions
    linrec: int  # state updates of linear attention

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "ops") -> OpCounts:
        """The vector that `{op: count}` states.

        Each of the ten ops is stated, 0 for one that does not run. A count is what a profile file may write: an
        integer from 0, a float without a fraction, or a string holding an integer; no boolean, and nothing past
        2^63-1. Anything else is a ModelSpecError that names `where` and the op.
        """
        if not isinstance(data, Mapping):
            raise ModelSpecError(f"{where} must map op names to counts, got {data!r}")
        names = [field.name for field in fields(cls)]
        unknown = in_order(set(data) - set(names))
        if unknown:
            raise ModelSpecError(f"{where} declares unknown ops {unknown}; the ops are {names}")
        missing = [name for name in names if name not in data]
        if missing:
            raise ModelSpecError(f"{where} is missing counts for {missing}; declare 0 for an op the layer does not run")
        return cls(**{name: _count(data[name], f"{where}.{name}") for name in names})

    def to_dict(self) -> Dict[str, int]:
        """The vector as `{op: count}`, in its order; a new dictionary."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def declared_counts(counts: Any, where: str) -> OpCounts:
    """Counts that a caller declares, checked. What has the ten counts as attributes is as good as an OpCounts."""
    try:
        stated = {field.name: getattr(counts, field.name) for field in fields(OpCounts)}
    except AttributeError:
        raise ModelSpecError(f"{where} must be the op counts of one kind, got {counts!r}") from None
    return OpCounts.from_dict(stated, where)


@dataclass(frozen=True)
class LayerKind:
    """One kind of layer: its ops, and how it is shaped.

    `attention` is "full" or "linear"; `ffn` is "dense", "moe", or None where the model's own feed-forward stays.
    """

    name: str
    ops: OpCounts
    attention: str = "full"
    ffn: Optional[str] = None

    def __deepcopy__(self, memo: Dict[int, Any]) -> LayerKind:
        # A search copies a model's description deeply, with its layers' kinds, for every candidate that it prices.
        # Nothing of a kind can change, so one serves them all.
        return self


@dataclass(frozen=True)
class Run:
    """The run of a family's models; the values here are those where the family states none."""

    grad_bytes: int = 4
    optimizer_state_bytes: int = 4
    optimizer_states: int = 2
    main_param_bytes: int = 0
    norm_bytes: int = 4
    dropout_bytes: int = 0
    grad_accumulation: bool = False
    shard_activations: bool = False
    loss_parallel: bool = True
    reshard_params: bool = False
    deferred_grad_accumulation: bool = False
    overlapped_grad_reduce: bool = False


@dataclass(frozen=True)
class Model:
    """The facts that a family gives a model that states none; None is unstated."""

    v_head_dim: Optional[int] = None


@dataclass(frozen=True)
class Profile:
    """What a catalog holds of one family; the kinds in the order of its file."""

    arch: str
    kinds: Tuple[LayerKind, ...]
    default_kind: Optional[LayerKind]
    run: Run
    model: Model

    def kind(self, name: str) -> LayerKind:
        """The kind of that name; NotFound, naming the kinds there are, where there is none."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise NotFound(f"family {self.arch!r} has no kind {name!r}; it has {[kind.name for kind in self.kinds]}")
