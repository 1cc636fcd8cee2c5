# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of PyTorch: torch.export and torch-mlir's FX importer."""

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from shard._program import Program, load
from shard._torch_distributed import hints_of, whole_tensors, without_hooks
from shard._torch_gradients import others_for_gradients
from shard._torch_lower import lower, values_unknown
from shard._torch_random import draw_seed, with_seed
from shard._torch_trace import trace
from shard._torch_trees import TorchTrees, Tree, Weights, to_numpy
from shard._trees import positional_parameters


def from_torch(module: Any, *args: Any, **kwargs: Any) -> Program:
    """The program of a `torch.nn.Module` or a function, for arguments of the shapes of `args`.

    Args:
        module: on the CPU; it is exported as it is, in training or evaluation mode. Or an
            `ExportedProgram`. Or a function of tensors and of dictionaries and lists of
            them, which may take gradients by `torch.func` or `torch.autograd`: a step of
            training.
        args: tensors, or what `torch.export` takes of them; what is none is fixed in the
            program. Of an `ExportedProgram` they may be missing: those that it was
            exported with.
        kwargs: the same, by name.

    Returns:
        Of a module, a program whose first argument is a dictionary of the parameters and
        buffers, named as in `state_dict`; `weights` has their values as arrays of numpy.
        What follows are `args` and `kwargs`; hints name the first of `args` `arg0`, or as
        `forward` names it if no weight has that name. Parameters that are DTensors have
        their placements as hints, and their mesh is the grid if `partition` is given none.
        Of a function, a program with its arguments, named after its parameters and the keys
        in them: `params.0.weight`. Partitions give tensors of PyTorch.
        A program that draws random numbers has a seed as a further argument, the last one, which
        its calls draw themselves.

    Raises:
        ImportError: torch or torch-mlir is not installed.
        ProgramError: torch-mlir cannot lower the program to linalg, or it depends on the
            values of tensors.
        TypeError: `module` is none of these, or there are `dynamic_shapes`.
    """
    try:
        import torch
        import torch_mlir.fx  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"shard.from_torch needs PyTorch and torch-mlir: pip install '.[torch]' ({error})"
        ) from error
    name = type(module).__name__
    if isinstance(module, torch.export.ExportedProgram):
        if not args and not kwargs and module.example_inputs:
            args, kwargs = module.example_inputs
        module = module.module(check_guards=False)
    if isinstance(module, torch.jit.ScriptModule | torch.jit.ScriptFunction):
        raise TypeError(
            f"{name} is of TorchScript; pass the torch.nn.Module or the function itself"
        )
    if not callable(module):
        raise TypeError(f"{module!r} is neither a torch.nn.Module nor a function")
    if "dynamic_shapes" in kwargs and not _takes(module, "dynamic_shapes"):
        raise TypeError(
            "from_torch takes no dynamic_shapes: a program has the shapes of the arguments that "
            "it is made for"
        )
    with others_for_gradients():
        if isinstance(module, torch.nn.Module):
            return _from_module(module, name, args, kwargs)
        return _from_function(module, args, kwargs)


def _takes(module: Any, name: str) -> bool:
    """Whether `module` has a parameter called `name`."""
    try:
        return name in inspect.signature(getattr(module, "forward", module)).parameters
    except (TypeError, ValueError):
        return False


def _from_module(module: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    import torch

    weights = Weights(module)
    whole = whole_tensors(weights.tensors)
    grid, hints = hints_of(weights.tensors)
    tree = Tree((whole, args, kwargs), _leaf_name)
    tree.check_tensors()
    results: list[Tree] = []

    class WithWeights(torch.nn.Module):  # type: ignore[misc]
        """The module as a function of its weights and of the tensors among its arguments."""

        def forward(self, tensors: list[Any]) -> Any:
            made = torch.func.functional_call(module, *tree.unflatten(tensors))
            results.append(Tree(made))
            results[-1].check_fixed()
            return results[-1].tensors

    with without_hooks(module):
        text = lower(WithWeights(), (tree.tensors,), name, tree.names)
    program, is_seeded = _program(text, name, tree)
    program.aliases = _aliases(tree.names, whole, positional_parameters(module.forward))
    program.grid = grid
    program.hints = {name: placements for name, placements in hints.items()}
    program.weights = {name: to_numpy(tensor) for name, tensor in whole.items()}
    weights.values = program.weights
    program.trees = TorchTrees(tree, results[-1], weights, is_seeded=is_seeded)
    return program


def _from_function(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Program:
    parameters = positional_parameters(fn)
    tree = Tree((args, kwargs), lambda keys: _argument_name(keys, parameters))
    tree.check_tensors()
    results: list[Tree] = []

    def of_tensors(*tensors: Any) -> Any:
        args, kwargs = tree.unflatten(tensors)
        results.append(Tree(fn(*args, **kwargs)))
        results[-1].check_fixed()
        return results[-1].tensors

    name = getattr(fn, "__name__", "function")
    with values_unknown(name):
        graph = trace(of_tensors, tree.tensors, fn)
    text = lower(graph, tree.tensors, name, tree.names)
    program, is_seeded = _program(text, name, tree)
    program.trees = TorchTrees(tree, results[-1], is_seeded=is_seeded)
    return program


def _program(text: str, name: str, tree: Tree) -> tuple[Program, bool]:
    """The program, and whether its last argument is a seed."""
    seeded = with_seed(text)
    program = load(seeded or text, name=f"<torch {name}>", entry="main")
    program.names = [*tree.names]
    program.examples = {
        name: to_numpy(tensor).copy()
        for name, tensor in zip(tree.names, tree.tensors, strict=True)
        if _is_integer(tensor)
    }
    if seeded:
        seed = next(n for n in ("seed", "random_seed", "call.seed") if n not in tree.names)
        program.names.append(seed)
        program.examples[seed] = to_numpy(draw_seed())
    return program, bool(seeded)


def _is_integer(tensor: Any) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.is_meta)


def _leaf_name(keys: Sequence[str]) -> str:
    """`layer.weight` of the keys to a weight; what follows the weights is `arg0`."""
    if keys[0] == "1":
        return ".".join([f"arg{keys[1]}", *keys[2:]])
    return ".".join(keys[1:])


def _aliases(names: list[str], weights: Collection[str], parameters: list[str]) -> dict[str, str]:
    """`x.0` for `arg1.0`, if the second parameter of the module is called `x`."""
    found = {}
    for name in names:
        match = re.fullmatch(r"arg(\d+)(\..*)?", name)
        if match and name not in weights and int(match[1]) < len(parameters):
            found[parameters[int(match[1])] + (match[2] or "")] = name
    return found


def _argument_name(keys: Sequence[str], parameters: list[str]) -> str:
    """`params.layer.weight` of the keys in (args, kwargs)."""
    place, head, *inside = keys
    if place == "0":
        number = int(head)
        head = parameters[number] if number < len(parameters) else f"arg{number}"
    return ".".join([head, *inside])
