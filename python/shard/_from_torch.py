# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of PyTorch: torch.export and torch-mlir's FX importer."""

import re
import warnings
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from shard._errors import ProgramError, RunError
from shard._program import Program, Trees, load
from shard._torch_decompositions import decompositions


def from_torch(module: Any, *args: Any, **kwargs: Any) -> Program:
    """The program of a `torch.nn.Module`, for arguments of the shapes of `args`.

    Args:
        module: on the CPU; it is exported as it is, in training or evaluation mode.
        args: tensors, or what `torch.export` takes of them.
        kwargs: the same, by name.

    Returns:
        A program whose first argument is a dictionary of the parameters and buffers,
        named as in `state_dict`; `weights` has their values as arrays of numpy. What
        follows are `args` and `kwargs`. Its partitions give tensors of PyTorch.

    Raises:
        ImportError: torch or torch-mlir is not installed.
        ProgramError: torch-mlir cannot lower the program to linalg.
    """
    try:
        import torch
        from torch.utils import _pytree as pytree
        from torch_mlir import fx
    except ImportError as error:
        raise ImportError(
            f"shard.from_torch needs PyTorch and torch-mlir: pip install '.[torch]' ({error})"
        ) from error
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"{module!r} is no torch.nn.Module; put a function into one")

    weights = {
        name: tensor.detach()
        for name, tensor in (*module.named_parameters(), *module.named_buffers())
    }

    class WithWeights(torch.nn.Module):  # type: ignore[misc]
        """The module as a function of its weights."""

        def forward(self, weights: Any, args: Any, kwargs: Any) -> Any:
            return torch.func.functional_call(module, weights, args, kwargs)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        exported = torch.export.export(WithWeights(), (weights, args, kwargs), strict=False)
        try:
            imported = fx.export_and_import(
                exported,
                output_type=fx.OutputType.LINALG_ON_TENSORS,
                decomposition_table=decompositions(),
                func_name="main",
            )
        except Exception as error:
            raise ProgramError(f"torch-mlir cannot lower the program: {error}") from error
    text = imported.operation.get_asm(enable_debug_info=True)
    if unread := re.search(r"\btm_tensor\.(\w+)[^\n]*", text):
        raise ProgramError(
            f"torch-mlir lowers '{unread[1]}' to an op of its own dialect, tm_tensor, which is "
            "not read here; write the module without it"
        )
    program = load(text, name=f"<torch {type(module).__name__}>", entry="main")
    paths, structure = pytree.tree_flatten_with_path((weights, args, kwargs))
    program.names = [_leaf_name(path) for path, _ in paths]
    program.weights = {name: _to_numpy(tensor) for name, tensor in weights.items()}
    program.trees = _TorchTrees(structure, exported.call_spec.out_spec)
    return program


class _TorchTrees(Trees):
    """Pytrees as flat lists of arrays and back."""

    def __init__(self, structure: Any, result_structure: Any) -> None:
        self._structure = structure
        self._result_structure = result_structure

    def flatten(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
        from torch.utils import _pytree as pytree

        if not arguments:
            raise RunError("the first argument is the dictionary of weights")
        tree = (dict(arguments[0]), tuple(arguments[1:]), dict(keywords))
        leaves, structure = pytree.tree_flatten(tree)
        if structure != self._structure:
            raise RunError(
                f"the arguments have the structure {structure}, the program was made for "
                f"{self._structure}"
            )
        return [_to_numpy(leaf) for leaf in leaves]

    def unflatten(self, results: list[Any]) -> Any:
        from torch.utils import _pytree as pytree

        return pytree.tree_unflatten(
            [_to_torch(result) for result in results], self._result_structure
        )

    def flatten_results(self, results: Any) -> list[Any]:
        from torch.utils import _pytree as pytree

        return [_to_numpy(leaf) for leaf in pytree.tree_leaves(results)]


def _leaf_name(path: tuple[Any, ...]) -> str:
    """`layer.weight` of the path to a weight; what follows the weights is `arg0`."""
    keys = [str(getattr(key, "key", getattr(key, "idx", key))) for key in path]
    if keys[0] == "0":
        return ".".join(keys[1:])
    if keys[0] == "1":
        return ".".join([f"arg{keys[1]}", *keys[2:]])
    return ".".join(keys[1:])


def _to_numpy(tensor: Any) -> Any:
    import torch

    if not isinstance(tensor, torch.Tensor):
        return np.asarray(tensor)
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def _to_torch(array: Any) -> Any:
    import torch

    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
