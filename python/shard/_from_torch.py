# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of PyTorch: torch.export and torch-mlir's FX importer."""

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from shard._errors import ProgramError, RunError
from shard._program import Program, Trees, load
from shard._torch_decompositions import decompositions
from shard._torch_distributed import hints_of, whole_tensors, without_hooks
from shard._torch_trace import trace
from shard._trees import positional_parameters


def from_torch(module: Any, *args: Any, **kwargs: Any) -> Program:
    """The program of a `torch.nn.Module` or a function, for arguments of the shapes of `args`.

    Args:
        module: on the CPU; it is exported as it is, in training or evaluation mode. Or a
            function of tensors and of dictionaries and lists of them, which may take
            gradients by `torch.func` or `torch.autograd`: a step of training.
        args: tensors, or what `torch.export` takes of them.
        kwargs: the same, by name.

    Returns:
        Of a module, a program whose first argument is a dictionary of the parameters and
        buffers, named as in `state_dict`; `weights` has their values as arrays of numpy.
        What follows are `args` and `kwargs`. Parameters that are DTensors have their
        placements as hints, and their mesh is the grid if `partition` is given none. Of a
        function, a program with its arguments, named after its parameters and the keys in
        them: `params.0.weight`. Partitions give tensors of PyTorch.

    Raises:
        ImportError: torch or torch-mlir is not installed.
        ProgramError: torch-mlir cannot lower the program to linalg.
    """
    try:
        import torch
        import torch_mlir.fx  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"shard.from_torch needs PyTorch and torch-mlir: pip install '.[torch]' ({error})"
        ) from error
    if isinstance(module, torch.nn.Module):
        return _from_module(module, args, kwargs)
    if callable(module):
        return _from_function(module, args, kwargs)
    raise TypeError(f"{module!r} is neither a torch.nn.Module nor a function")


def _from_module(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    import torch

    given = dict((*module.named_parameters(), *module.named_buffers()))
    weights = whole_tensors(given)
    grid, hints = hints_of(given)

    tree = _Tree((weights, args, kwargs))

    class WithWeights(torch.nn.Module):  # type: ignore[misc]
        """The module as a function of its weights and of the tensors among its arguments."""

        def forward(self, tensors: list[Any]) -> Any:
            return torch.func.functional_call(module, *tree.unflatten(tensors))

    with without_hooks(module):
        exported = _export(WithWeights(), (tree.tensors,))
    names = [_leaf_name(path) for path in tree.paths]
    program = _import(exported, type(module).__name__, names)
    program.names = names
    program.grid = grid
    program.hints = {name: placements for name, placements in hints.items()}
    program.weights = {name: _to_numpy(tensor) for name, tensor in weights.items()}
    program.trees = _TorchTrees(tree, exported.call_spec.out_spec, has_weights=True)
    return program


def _from_function(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:

    tree = _Tree((args, kwargs))

    def of_tensors(*tensors: Any) -> Any:
        args, kwargs = tree.unflatten(tensors)
        return fn(*args, **kwargs)

    graph, result_structure = trace(of_tensors, tree.tensors)
    name = getattr(fn, "__name__", "function")
    parameters = positional_parameters(fn)
    names = [_argument_name(path, parameters) for path in tree.paths]
    program = _import(_export(graph, tuple(tree.tensors)), name, names)
    program.names = names
    program.trees = _TorchTrees(tree, result_structure, has_weights=False)
    return program


class _Tree:
    """Arguments, of which the tensors are those of the program; all else is fixed in it."""

    def __init__(self, tree: Any) -> None:
        import torch
        from torch.utils import _pytree as pytree

        leaves, self._structure = pytree.tree_flatten_with_path(tree)
        is_tensor = [isinstance(leaf, torch.Tensor) for _, leaf in leaves]
        self._fixed = {i: leaf for i, (_, leaf) in enumerate(leaves) if not is_tensor[i]}
        self.tensors = [leaf for i, (_, leaf) in enumerate(leaves) if is_tensor[i]]
        self.paths = [path for i, (path, _) in enumerate(leaves) if is_tensor[i]]
        self._count = len(leaves)

    def unflatten(self, tensors: Sequence[Any]) -> Any:
        """The arguments with other tensors."""
        from torch.utils import _pytree as pytree

        rest = iter(tensors)
        leaves = [self._fixed[i] if i in self._fixed else next(rest) for i in range(self._count)]
        return pytree.tree_unflatten(leaves, self._structure)

    def flatten(self, tree: Any) -> list[Any]:
        """The tensors of arguments of the same structure. RunError if it is another."""
        from torch.utils import _pytree as pytree

        leaves, structure = pytree.tree_flatten(tree)
        if structure != self._structure:
            raise RunError(
                f"the arguments have the structure {structure}, the program was made for "
                f"{self._structure}"
            )
        for i, value in self._fixed.items():
            if type(leaves[i]) is not type(value) or leaves[i] != value:
                raise RunError(f"the program was made for {value!r}, not for {leaves[i]!r}")
        return [leaf for i, leaf in enumerate(leaves) if i not in self._fixed]


def _export(module: Any, args: tuple[Any, ...]) -> Any:
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return torch.export.export(module, args, strict=False)


def _import(exported: Any, name: str, names: Sequence[str]) -> Program:
    """What torch-mlir makes of an exported program, whose arguments are called `names`."""
    from torch_mlir import fx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            # From here on nothing changes in place: what did is a result.
            exported = exported.run_decompositions(decompositions())
            signature = exported.graph_signature
            if changed := list(signature.user_inputs_to_mutate.values()):
                inputs = list(signature.user_inputs)
                which = ", ".join(names[inputs.index(tensor)] for tensor in changed)
                raise ProgramError(
                    f"{name} changes {which} in place, which a program cannot; return the new "
                    "value instead. Of a module in training this is a function that calls it by "
                    "torch.func.functional_call with copies of its buffers, and returns them"
                )
            imported = fx.export_and_import(
                exported,
                output_type=fx.OutputType.LINALG_ON_TENSORS,
                decomposition_table={},
                func_name="main",
            )
        except ProgramError:
            raise
        except Exception as error:
            raise ProgramError(f"torch-mlir cannot lower the program: {error}") from error
    text = imported.operation.get_asm(enable_debug_info=True)
    if unread := re.search(r"\btm_tensor\.(\w+)[^\n]*", text):
        raise ProgramError(
            f"torch-mlir lowers '{unread[1]}' to an op of its own dialect, tm_tensor, which is "
            "not read here; write the module without it"
        )
    return load(text, name=f"<torch {name}>", entry="main")


class _TorchTrees(Trees):
    """Pytrees as flat lists of arrays and back."""

    def __init__(self, tree: _Tree, result_structure: Any, has_weights: bool) -> None:
        self._has_weights = has_weights
        self._tree = tree
        self._result_structure = result_structure

    def flatten(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
        tree: tuple[Any, ...] = (arguments, dict(keywords))
        if self._has_weights:
            if not arguments or not isinstance(arguments[0], Mapping):
                given = f", not {type(arguments[0]).__name__}" if arguments else ""
                raise RunError(
                    "the first argument is the dictionary of weights, such as "
                    f"program.weights{given}"
                )
            tree = (dict(arguments[0]), tuple(arguments[1:]), dict(keywords))
        return [_to_numpy(leaf) for leaf in self._tree.flatten(tree)]

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
    keys = _keys(path)
    if keys[0] == "0":
        return ".".join(keys[1:])
    if keys[0] == "1":
        return ".".join([f"arg{keys[1]}", *keys[2:]])
    return ".".join(keys[1:])


def _argument_name(path: tuple[Any, ...], parameters: list[str]) -> str:
    """`params.layer.weight` of the path in (args, kwargs)."""
    place, head, *inside = _keys(path)
    if place == "0":
        number = int(head)
        head = parameters[number] if number < len(parameters) else f"arg{number}"
    return ".".join([head, *inside])


def _keys(path: tuple[Any, ...]) -> list[str]:
    return [str(getattr(key, "key", getattr(key, "idx", key))) for key in path]


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
