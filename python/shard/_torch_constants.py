# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes what elementwise ops give for tensors that repeat one number.

torch-mlir computes it too, wrongly: a number of Python's integers is taken for the bits of a
float, so that `torch.ones(6) == 1` is False and `torch.ones(6) * -3` is 1.8e19, and a comparison
of integers with a float crashes it.
"""

from typing import Any

from shard._torch_trace import graphs_of

# Creators, with the place of the number among their arguments, or the number.
_NUMBERS = {"zeros": 0, "zeros_like": 0, "new_zeros": 0, "ones": 1, "ones_like": 1, "new_ones": 1}
_PLACES = {"scalar_tensor": 0, "full": 1, "full_like": 1, "new_full": 2}
# Ops whose elements are those of their one tensor.
_KEPT = frozenset(
    """_to_copy _unsafe_view alias clone contiguous detach detach_ expand flip lift_fresh
    lift_fresh_copy permute repeat reshape select slice squeeze t transpose unsqueeze
    view""".split()
)


def compute_constants(exported: Any) -> None:
    """Makes creators of the elementwise ops in `exported` whose tensors all repeat one number."""
    known = _literals(exported)
    for module in graphs_of(exported):
        _compute_constants(module, known)
        module.graph.eliminate_dead_code()
        module.recompile()


def _compute_constants(module: Any, known: dict[Any, Any]) -> None:
    import torch

    for node in module.graph.nodes:
        value = node.meta.get("val")
        if node.op != "call_function" or not isinstance(value, torch.Tensor) or value.is_complex():
            continue
        number = _number_of(node, value, known)
        if number is None:
            continue
        known[node] = number
        if torch.Tag.pointwise in node.target.tags:
            # In place, since results of the graph have the names of their nodes.
            node.target = torch.ops.aten.full.default
            node.args = (list(value.shape), number.item())
            node.kwargs = {"dtype": value.dtype, "device": value.device, "pin_memory": False}


def take_out_of_lists(exported: Any) -> None:
    """Hands the tensors that `exported` holds to ops that take lists, such as those of indices,
    by a copy: torch-mlir does not take them there.
    """
    import torch

    signature = exported.graph_signature
    names = {**signature.inputs_to_lifted_tensor_constants, **signature.inputs_to_buffers}
    nodes = list(exported.graph.nodes)
    inputs = [node for node in nodes if node.op == "placeholder"]
    for held in inputs:
        users = [
            user
            for user in held.users
            if user.op == "call_function"
            and any(isinstance(arg, list | tuple) and held in arg for arg in user.args)
        ]
        if held.name not in names or not users:
            continue
        with exported.graph.inserting_after(inputs[-1]):
            copy = exported.graph.call_function(torch.ops.aten.clone.default, (held,))
        copy.meta = dict(held.meta)
        for user in users:
            user.replace_input_with(held, copy)
    exported.graph_module.recompile()


def _literals(exported: Any) -> dict[Any, Any]:
    """The tensors without dimensions that the graph holds itself."""
    import torch

    signature = exported.graph_signature
    names = {**signature.inputs_to_lifted_tensor_constants, **signature.inputs_to_buffers}
    held = {**exported.state_dict, **exported.constants}
    found = {}
    for node in exported.graph.nodes:
        tensor = held.get(names.get(node.name)) if node.op == "placeholder" else None
        if isinstance(tensor, torch.Tensor) and tensor.dim() == 0 and not tensor.is_complex():
            found[node] = tensor.detach()
    return found


def _number_of(node: Any, value: Any, known: dict[Any, Any]) -> Any:
    """What `node` repeats, as a tensor of one element with the rank and type of `value`, if it
    is known.
    """
    import torch

    tensors = [arg for arg in node.all_input_nodes if "val" in arg.meta]
    name = node.target.overloadpacket.__name__ if hasattr(node.target, "overloadpacket") else ""
    ones = [1] * value.dim()
    if name in _NUMBERS:
        return torch.full(ones, _NUMBERS[name], dtype=value.dtype)
    if name in _PLACES and not isinstance(node.args[_PLACES[name]], torch.fx.Node):
        return torch.full(ones, node.args[_PLACES[name]], dtype=value.dtype)
    if not tensors or not all(tensor in known for tensor in tensors):
        return None
    if name in _KEPT and len(tensors) == 1:
        return known[tensors[0]].reshape(ones).to(value.dtype)
    tags = getattr(node.target, "tags", ())
    if torch.Tag.pointwise not in tags or torch.Tag.nondeterministic_seeded in tags:
        return None
    given = torch.fx.node.map_arg((node.args, node.kwargs), lambda arg: known.get(arg, arg))
    result = node.target(*given[0], **given[1])
    return result if result.dtype == value.dtype and list(result.shape) == ones else None
