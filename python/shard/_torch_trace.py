# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of tensors as graphs of PyTorch's ops.

`torch.export` takes no gradients. `make_fx` follows the calls below autograd: what it sees of
a gradient are the ops of the backward pass. Its graph is then exported like a module.
"""

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any


def trace(fn: Any, tensors: list[Any], source: Any) -> Any:
    """The graph of `fn`, which takes `tensors` and gives a list of tensors, as a module.

    Its ops have the places of the calls in `source`, the function of the user.
    """
    import torch
    import torch.nn.attention
    from torch.fx.experimental.proxy_tensor import make_fx

    def flat(*values: Any) -> tuple[Any, ...]:
        return tuple(result.detach() for result in fn(*values))

    # Values are not known; tensors that `fn` holds itself are constants.
    trace_of = make_fx(
        flat, tracing_mode="fake", _allow_non_fake_inputs=True, record_stack_traces=True
    )
    # Without the layers of a library and the joint ops of attention, whose gradients torch-mlir
    # does not know.
    with (
        _without_layers_of_mkldnn(),
        torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH),
        _as_if_exporting(),
        static_shapes(),
        _with_places(getattr(source, "__code__", None)),
    ):
        return Rerun(trace_of(*(tensor.detach() for tensor in tensors)))


@contextlib.contextmanager
def static_shapes() -> Iterator[None]:
    """The functions that ops take are compiled for the shapes that they get. PyTorch would make
    those unknown that differ from those of the last program.
    """
    import torch._dynamo

    with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
        yield


@contextlib.contextmanager
def _without_layers_of_mkldnn() -> Iterator[None]:
    import torch

    # To set a flag of a GPU that is not there is a warning.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "TF32 acceleration on top of oneDNN", UserWarning)
        with torch.backends.mkldnn.flags(enabled=False):
            yield


def graphs_of(exported: Any) -> list[Any]:
    """The modules with the graphs of a program: its own, and those of ops that take functions."""
    import torch

    modules = exported.graph_module.modules()
    return [module for module in modules if isinstance(module, torch.fx.GraphModule)]


def nodes_of(exported: Any) -> list[Any]:
    """The calls in all graphs of a program."""
    nodes = (node for module in graphs_of(exported) for node in module.graph.nodes)
    return [node for node in nodes if node.op == "call_function"]


def Rerun(graph: Any, call: Callable[..., Any] | None = None) -> Any:  # noqa: N802
    """A module that calls the ops of `graph`, which keep their places in the source.

    Args:
        graph: a module of `torch.fx`.
        call: calls an op in the place of the op itself: a function of its node, the op, and
            its arguments. Graphs among these are functions.
    """
    import torch
    from torch.utils import _pytree as pytree

    class Interpreter(torch.fx.Interpreter):  # type: ignore[misc]
        def run_node(self, node: Any) -> Any:
            self.node = node
            return super().run_node(node)

        def get_attr(self, target: str, args: Any, kwargs: Any) -> Any:
            if _flat(target) in module._buffers:
                return getattr(module, _flat(target))
            return super().get_attr(target, args, kwargs)

        def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
            # What runs in the place of an op may give other strides than the op gave, of which no
            # view can be made. A copy stands for a view that nothing changes in place.
            if target is torch.ops.aten.view.default and call and not _is_changed(self.node):
                args = (args[0].contiguous(), *args[1:])
            if target is torch.ops.aten.as_strided.default:
                view = strided(self.node.args[0].meta.get("val"), *args, **kwargs)
                if view is not None:
                    return view
            # What a decomposition has made, and what PyTorch does not decompose again.
            if target is torch.ops.prims.squeeze.default:
                target = torch.ops.aten.squeeze.dims
            if isinstance(target, torch._ops.HigherOrderOperator):
                args = tuple(_rerun(arg) for arg in args)
            if call is None or not isinstance(target, torch._ops.OperatorBase):
                return super().call_function(target, args, kwargs)
            return call(self.node, target, args, kwargs)

    def _rerun(arg: Any) -> Any:
        """The functions of an op that takes some call ops as the graph itself does."""
        if isinstance(arg, tuple):
            return tuple(map(_rerun, arg))
        if not isinstance(arg, torch.fx.GraphModule):
            return arg
        return lambda *values: Interpreter(arg).run(*values)

    class Module(torch.nn.Module):  # type: ignore[misc]
        def forward(self, *tensors: Any) -> Any:
            with torch.fx.traceback.preserve_node_meta():
                return Interpreter(graph).run(*pytree.tree_leaves(tensors))

    # torch.export wants the constants of the graph in the module itself.
    module = Module()
    for name, constant in (*graph.named_buffers(), *vars(graph).items()):
        if isinstance(constant, torch.Tensor):
            module.register_buffer(_flat(name), constant)
    return module


def _is_changed(node: Any) -> bool:
    """Whether an op changes in place what `node` is a view of, or another view of it."""

    def returns(node: Any) -> Any:
        return getattr(getattr(node.target, "_schema", None), "returns", [])

    def is_view(node: Any) -> bool:
        return any(result.alias_info for result in returns(node))

    while is_view(node):
        node = node.all_input_nodes[0]
    seen, same = set(), [node]
    while same:
        for user in same.pop().users:
            if getattr(getattr(user.target, "_schema", None), "is_mutable", False):
                return True
            if is_view(user) and user not in seen:
                seen.add(user)
                same.append(user)
    return False


def has_strided(exported: Any) -> bool:
    """Whether a program has views that `Rerun` may write as others."""
    import torch

    return any(node.target == torch.ops.aten.as_strided.default for node in nodes_of(exported))


def strided(was: Any, x: Any, size: Any, stride: Any, offset: int | None = None) -> Any:
    """`as_strided` of `x` as slices and a permutation of dimensions, if it is that.

    Autograd makes such views of what is changed in place. `was` is what `x` was where the op was
    traced, which says how its elements lay; the other arguments are those of `as_strided`.
    """
    import torch

    if not isinstance(was, torch.Tensor) or was.storage_offset() or not was.is_contiguous():
        return None
    if 0 in size:
        return None
    dims = [dim for dim in range(len(size)) if size[dim] != 1]
    order = sorted(dims, key=lambda dim: -stride[dim])
    # Blocks of as many elements as divide both what is left and the stride.
    blocks, rest = [], x.numel()
    for dim in order:
        blocks.append(math.gcd(rest, stride[dim]))
        if stride[dim] <= 0 or rest == 0:
            return None
        rest = blocks[-1]
    if not x.is_contiguous() or rest == 0:
        return None
    counts = [above // block for above, block in zip([x.numel(), *blocks], blocks, strict=False)]
    view, at = x.view([*counts, rest]), offset or 0
    for place, dim in enumerate(order):
        first, at = divmod(at, blocks[place])
        step = stride[dim] // blocks[place]
        end = first + (size[dim] - 1) * step + 1
        if end > counts[place]:
            return None
        view = torch.ops.aten.slice(view, place, first, end, step)
    if at >= rest:
        return None
    view = view.select(len(order), at).permute([order.index(dim) for dim in dims])
    for dim in range(len(size)):
        if size[dim] == 1:
            view = view.unsqueeze(dim)
    return view


def _flat(name: str) -> str:
    return name.replace(".", "_")


@contextlib.contextmanager
def _with_places(code: Any) -> Iterator[None]:
    """PyTorch records the lines of a function and of those that it defines."""
    from torch.fx import proxy

    anchors: set[tuple[str, str]] = getattr(proxy, "_STACK_TRACE_ANCHORS", set())
    mine: set[tuple[str, str]] = set()

    def add(code: Any) -> None:
        mine.add((code.co_filename, code.co_name))
        for inner in code.co_consts:
            if hasattr(inner, "co_consts"):
                add(inner)

    if code is not None:
        add(code)
    mine -= anchors
    anchors |= mine
    try:
        yield
    finally:
        anchors -= mine


@contextlib.contextmanager
def _as_if_exporting() -> Iterator[None]:
    """Models of `transformers` and others ask, and branch on no values then."""
    import torch

    flags = ("_is_compiling_flag", "_is_exporting_flag")
    before = {flag: getattr(torch.compiler, flag) for flag in flags}
    try:
        for flag in flags:
            setattr(torch.compiler, flag, True)
        yield
    finally:
        for flag, value in before.items():
            setattr(torch.compiler, flag, value)
