# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pytrees of PyTorch as flat lists of arrays, and back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from shard._errors import ProgramError, RunError
from shard._program import Trees
from shard._torch_random import draw_seed
from shard._trees import names_in_short, structure_error


class Tree:
    """Arguments or results, of which the tensors are those of the program.

    All else is fixed in the program. Arrays of numpy count as tensors.
    """

    def __init__(self, tree: Any, name_of: Callable[[Sequence[str]], str] = ".".join) -> None:
        """`name_of` makes the name of a leaf of the keys on the way to it."""
        from torch.utils import _pytree as pytree

        leaves, self._structure = pytree.tree_flatten_with_path(tree)
        self._name_of = name_of
        self._names = [name_of(_keys(path)) for path, _ in leaves]
        values = [_as_tensor(leaf) for _, leaf in leaves]
        self._fixed = {i: value for i, value in enumerate(values) if not _is_tensor(value)}
        places = [i for i in range(len(values)) if i not in self._fixed]
        self.tensors = [values[i] for i in places]
        self.names = [self._names[i] for i in places]
        self.dtypes = [tensor.dtype for tensor in self.tensors]
        self._template = pytree.tree_unflatten([None] * len(leaves), self._structure)

    def unflatten(self, tensors: Sequence[Any]) -> Any:
        """The tree with other tensors."""
        from torch.utils import _pytree as pytree

        rest = iter(tensors)
        count = len(self._names)
        leaves = [self._fixed[i] if i in self._fixed else next(rest) for i in range(count)]
        return pytree.tree_unflatten(leaves, self._structure)

    def flatten(self, tree: Any) -> list[Any]:
        """The tensors of a tree of the same structure; keys may have another order.

        Raises RunError if the structure is another, or what is fixed.
        """
        from torch.utils import _pytree as pytree

        leaves, structure = pytree.tree_flatten_with_path(_ordered(tree, self._template))
        if structure != self._structure:
            given = [self._name_of(_keys(path)) for path, _ in leaves]
            raise RunError(structure_error(given, self._names))
        values = [leaf for _, leaf in leaves]
        for i, fixed in self._fixed.items():
            if not _is_same(values[i], fixed):
                raise RunError(
                    f"{self._names[i]}: the program was made for {fixed!r}, not for {values[i]!r}"
                )
        return [value for i, value in enumerate(values) if i not in self._fixed]

    def check_fixed(self) -> None:
        """Raises ProgramError if what is fixed, in a result, may hold or depend on tensors."""
        import torch

        plain = (bool, int, float, complex, str, bytes, torch.dtype, torch.device)
        for i, value in self._fixed.items():
            if value is None or isinstance(value, plain):
                continue
            where = f"the part {self._names[i]} of the result" if self._names[i] else "the result"
            kind = type(value)
            if kind.__name__.startswith("Sym"):
                what = "a number that depends on the values of tensors; return a tensor"
            else:
                what = (
                    f"of the type {kind.__module__}.{kind.__qualname__}, whose tensors are not "
                    "known; return tensors, in tuples, lists and dictionaries, or register it by "
                    "torch.utils._pytree.register_pytree_node"
                )
            raise ProgramError(f"{where} is {what}")

    def check_tensors(self) -> None:
        """Raises ProgramError if one of the tensors has no elements in the memory of the host."""
        import torch

        for name, tensor in zip(self.names, self.tensors, strict=True):
            kind = tensor.device.type if tensor.layout == torch.strided else tensor.layout
            if kind == "meta" or tensor.layout != torch.strided:
                raise ProgramError(
                    f"{name} is a tensor of the kind '{kind}'; the program needs a dense one on "
                    "the CPU"
                )


class TorchTrees(Trees):
    """What a program of PyTorch takes and gives."""

    def __init__(
        self,
        arguments: Tree,
        results: Tree,
        weights: "Weights | None" = None,
        *,
        is_seeded: bool = False,
    ) -> None:
        self._arguments = arguments
        self._results = results
        self._weights = weights
        # The last argument is a seed that each call draws.
        self._is_seeded = is_seeded
        # Examples, which are not needed any more.
        arguments.tensors, results.tensors = [], []

    def flatten(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
        tree: tuple[Any, ...] = (arguments, dict(keywords))
        if self._weights:
            if not arguments or not isinstance(arguments[0], Mapping):
                given = f", not {type(arguments[0]).__name__}" if arguments else ""
                raise RunError(
                    "the first argument is the dictionary of weights, such as "
                    f"program.weights{given}"
                )
            tree = (self._weights.chosen(arguments[0]), tuple(arguments[1:]), dict(keywords))
        leaves = self._arguments.flatten(tree)
        arrays = [
            _signless(to_numpy(leaf), dtype)
            for leaf, dtype in zip(leaves, self._arguments.dtypes, strict=True)
        ]
        return [*arrays, to_numpy(draw_seed())] if self._is_seeded else arrays

    def unflatten(self, results: list[Any]) -> Any:
        dtypes = self._results.dtypes
        return self._results.unflatten(
            [to_torch(result, dtype) for result, dtype in zip(results, dtypes, strict=True)]
        )

    def flatten_results(self, results: Any) -> list[Any]:
        return [to_numpy(leaf) for leaf in self._results.flatten(results)]


class Weights:
    """The parameters and buffers of a module, as `state_dict` names them."""

    def __init__(self, module: Any) -> None:
        self.tensors = dict((*module.named_parameters(), *module.named_buffers()))
        names = {id(tensor): name for name, tensor in self.tensors.items()}
        every = (
            *module.named_parameters(remove_duplicate=False),
            *module.named_buffers(remove_duplicate=False),
        )
        self._aliases = {
            name: names[id(tensor)] for name, tensor in every if name not in self.tensors
        }
        # What state_dict leaves out.
        self._kept = {
            f"{path}.{name}" if path else name
            for path, part in module.named_modules()
            for name in part._non_persistent_buffers_set
        }
        self.values: dict[str, Any] = {}
        """As arrays of numpy."""

    def chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those of `given` in the order of the program.

        A tied weight may have any of its names. Buffers that are not persistent need not be
        there. Raises RunError for names that are missing or unknown.
        """
        found = {name: value for name, value in given.items() if name in self.tensors}
        for alias, name in self._aliases.items():
            if name not in found and alias in given:
                found[name] = given[alias]
        for name in self._kept & self.values.keys():
            found.setdefault(name, self.values[name])
        missing = [name for name in self.tensors if name not in found]
        unknown = [name for name in given if name not in self.tensors | self._aliases]
        if missing or unknown:
            parts = [f"{names_in_short(missing)} missing"] if missing else []
            parts += [f"the program has no {names_in_short(unknown, '')}"] if unknown else []
            raise RunError(f"the dictionary of weights: {'; '.join(parts)}")
        return {name: found[name] for name in self.tensors}


def _keys(path: tuple[Any, ...]) -> list[str]:
    return [
        str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", key)))) for key in path
    ]


def _ordered(tree: Any, template: Any) -> Any:
    """`tree` with the keys of dictionaries in the order that they have in `template`."""
    if isinstance(template, dict) and isinstance(tree, Mapping):
        if tree.keys() != template.keys():
            return tree
        values = {key: _ordered(tree[key], template[key]) for key in template}
        return values if type(template) is dict else _like(template, values)
    if type(template) in (tuple, list) and type(tree) is type(template):
        if len(tree) == len(template):
            return type(tree)(map(_ordered, tree, template))
    return tree


def _like(template: Any, values: dict[Any, Any]) -> Any:
    """`values` in a dictionary of the class of `template`."""
    made = template.copy()
    for key, value in values.items():
        made[key] = value
    return made


def _is_same(value: Any, fixed: Any) -> bool:
    if value is fixed:
        return True
    try:
        return type(value) is type(fixed) and bool(value == fixed or (value != value != fixed))
    except (TypeError, ValueError, RuntimeError):
        return False


def _is_tensor(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor)


def _as_tensor(value: Any) -> Any:
    import torch

    if isinstance(value, np.ndarray):
        return torch.as_tensor(value)
    is_lazy = isinstance(value, torch.Tensor) and (value.is_conj() or value.is_neg())
    return value.resolve_conj().resolve_neg() if is_lazy else value


def _own_types() -> dict[Any, tuple[Any, Any]]:
    """Types of PyTorch that `Tensor.numpy` does not know: integers and ml_dtypes of that size."""
    import torch

    return {
        torch.bfloat16: (torch.int16, ml_dtypes.bfloat16),
        torch.float8_e4m3fn: (torch.int8, ml_dtypes.float8_e4m3fn),
        torch.float8_e4m3fnuz: (torch.int8, ml_dtypes.float8_e4m3fnuz),
        torch.float8_e5m2: (torch.int8, ml_dtypes.float8_e5m2),
        torch.float8_e5m2fnuz: (torch.int8, ml_dtypes.float8_e5m2fnuz),
    }


def to_numpy(tensor: Any) -> Any:
    """The array of a tensor, which shares its memory if that is the host's."""
    if not _is_tensor(tensor):
        return np.asarray(tensor)
    tensor = tensor.detach().cpu().contiguous().resolve_conj().resolve_neg()
    if own := _own_types().get(tensor.dtype):
        return tensor.view(own[0]).numpy().view(own[1])
    return tensor.numpy()


def to_torch(array: Any, dtype: Any) -> Any:
    """The tensor of an array; `dtype` is that of PyTorch, for unsigned integers."""
    import torch

    for own, (_, mine) in _own_types().items():
        if array.dtype == mine:
            return torch.from_numpy(array.view(f"i{array.dtype.itemsize}")).view(own)
    if array.dtype.kind == "i" and f"u{array.dtype}" == str(dtype).removeprefix("torch."):
        array = array.view(f"u{array.dtype.itemsize}")
    return torch.from_numpy(array)


def _signless(array: Any, dtype: Any) -> Any:
    """Unsigned integers cross as the signless ones of their width."""
    if array.dtype.kind == "u" and str(array.dtype) == str(dtype).removeprefix("torch."):
        return array.view(f"i{array.dtype.itemsize}")
    return array
