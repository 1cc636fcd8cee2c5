# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers graphs of PyTorch to linalg, by torch-mlir.

torch-mlir-opt runs as a process of its own: its crashes are errors here, and what it says has
the lines of the module.
"""

import re
import subprocess
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from shard._errors import Diagnostic, ProgramError
from shard._torch_complex import LONGEST, by_parts, has_complex, longest_transform
from shard._torch_constants import compute_constants, take_out_of_lists
from shard._torch_control import (
    Importer,
    expanded,
    functions_of,
    inner_batches,
    is_read,
    takes_functions,
    takes_numbers,
)
from shard._torch_decompositions import decompositions
from shard._torch_integers import has_narrow, widened
from shard._torch_linear_algebra import by_loops, has_matrices
from shard._torch_resampling import has_resampling, interpolates_bytes, resampled
from shard._torch_trace import Rerun, has_strided, nodes_of, static_shapes

_PIPELINE = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{ extra-library=},"
    "torch-backend-to-linalg-on-tensors-backend-pipeline{allow-non-finites=true})"
)
# The last pass of that pipeline, which takes no calls.
_CHECK = "torch-verify-linalg-on-tensors-backend-contract"
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_SAID = re.compile(r'^"?(?P<file>[^"\n]+?)"?:(?P<line>\d+):\d+: error: (?P<what>.*)', re.M)
_OP = re.compile(r'name = "torch\.([\w.]+)"|\'torch\.((?:aten|prims)\.[\w.]+)\'')
# Behind this pass of torch-mlir no op of PyTorch is left that it can lower.
_LAST_PASS = "FinalizingBackendTypeConversion Failed"
_LEFT = re.compile(r"torch\.((?:aten|prims)\.\w+)")
# Errors of PyTorch about programs that depend on the values of tensors.
_ON_DATA = (
    "GuardOnDataDependentSymNode",
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "PendingUnbackedSymbolNotFound",
)

# What torch.export says of torch.func in a module.
_NO_STORAGE = "doesn't have storage"
_NO_TRANSFORMS = "torch.export takes no torch.func in a module; pass a function that calls it"

# Ops that torch-mlir lowers to tm_tensor, where no decomposition takes them.
_NOT_READ = (
    "index_put",
    "logcumsumexp",
    "masked_scatter",
    "nonzero",
    "scatter_reduce",
)

Place = tuple[str, int]


def lower(module: Any, tensors: Sequence[Any], name: str, names: Sequence[str]) -> str:
    """The text of linalg of a module that takes `tensors` and gives tensors.

    Args:
        module: what `torch.export` takes.
        tensors: examples of what it takes.
        name: the name of what the user passed, for errors.
        names: those of the tensors.

    Raises:
        ProgramError: it depends on values of tensors, changes `tensors` in place, or has an op
            that torch-mlir cannot lower.
    """
    with warnings.catch_warnings(), static_shapes():
        warnings.simplefilter("ignore", FutureWarning)
        exported = _exported(module, tensors, name)
        _check_sizes(exported)
        _check_bytes(exported)
        for node in nodes_of(exported):
            _check_nested(node)
        if has_resampling(exported) or has_strided(exported) or takes_functions(exported):
            exported = _exported(_rerun(exported, _written_otherwise), tensors, name)
        # From here on nothing changes in place: what did is a result.
        exported = _decomposed(exported, name, {})
        _check_changes(exported, name, names)
        for node in nodes_of(exported):
            _check_transform(node)
        if has_matrices(exported):
            exported = _exported(_rerun(exported, _by_loops), tensors, name)
            exported = _decomposed(exported, name, {})
        if has_narrow(exported) or has_complex(exported):
            exported = _exported(_rerun(exported, _in_other_numbers), tensors, name)
            exported = _decomposed(exported, name, {})
        return _with_further_ops(exported, name)


def _exported(module: Any, tensors: Sequence[Any], name: str) -> Any:
    import torch

    with values_unknown(name):
        return torch.export.export(module, tuple(tensors), strict=False)


def _rerun(exported: Any, call: Callable[..., Any]) -> Any:
    return Rerun(exported.module(check_guards=False), call)


def _with_further_ops(exported: Any, name: str) -> str:
    """The text of linalg. What torch-mlir cannot lower is decomposed as PyTorch does it."""
    import torch

    further: dict[Any, Any] = {}
    given = {node.target for node in nodes_of(exported)}
    error: ProgramError | None = None
    while True:
        _drop_checks(exported)
        compute_constants(exported)
        take_out_of_lists(exported)
        nodes = nodes_of(exported)
        for node in nodes:
            _check_op(node)
            _place_functions(node)
        lowered = _lowered(exported, nodes)
        if isinstance(lowered, str):
            return lowered
        # What a decomposition of PyTorch has made means nothing to the user.
        if error is None or given.intersection(lowered.ops):
            error = lowered.error
        known = torch._decomp.get_decompositions(lowered.ops)
        if known.keys() <= further.keys():
            raise error
        further |= known
        try:
            exported = _decomposed(exported, name, further)
        except ProgramError:
            raise error from None


def _written_otherwise(node: Any, target: Any, args: Any, kwargs: Any) -> Any:
    """Calls an op, in other terms where torch-mlir does not read it or not well."""
    import torch

    is_plain = isinstance(target, torch._ops.OpOverload)
    return (resampled if is_plain else expanded)(node, target, args, kwargs)


def _by_loops(node: Any, target: Any, args: Any, kwargs: Any) -> Any:
    """Calls an op, decompositions of matrices by loops."""
    found = by_loops(target, args, kwargs)
    return target(*args, **kwargs) if found is None else found


def _in_other_numbers(node: Any, target: Any, args: Any, kwargs: Any) -> Any:
    """Calls an op by parts of complex numbers, or with wider integers, if that is needed."""
    found = by_parts(node, target, args, kwargs)
    return widened(node, target, args, kwargs) if found is None else found


def _drop_checks(exported: Any) -> None:
    """Removes those of the types of tensors, which are known. A decomposition may change them."""
    import torch

    for node in nodes_of(exported):
        if node.target == torch.ops.aten._assert_tensor_metadata.default:
            node.graph.erase_node(node)


def _decomposed(exported: Any, name: str, further: dict[Any, Any]) -> Any:
    try:
        return exported.run_decompositions({**decompositions(), **further})
    except Exception as error:
        if _NO_STORAGE in str(error):
            raise _error(None, _NO_TRANSFORMS) from error
        raise ProgramError(f"PyTorch cannot decompose the ops of {name}: {error}") from error


class values_unknown:  # noqa: N801 - a context manager, used like a function.
    """What is traced inside may not depend on the values of tensors: that is a ProgramError."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: Any) -> None:
        frames = [(f.filename, f.lineno or 0) for f in traceback.extract_tb(trace)]
        if error is not None and _NO_STORAGE in str(error):
            raise _error(_own_place(frames), _NO_TRANSFORMS) from error
        if error is not None and type(error).__module__.startswith("torch._dynamo"):
            # Of a function that an op takes.
            raise _error(
                _own_place(frames), f"PyTorch cannot take the function: {_said(error)}"
            ) from error
        if error is None or not _is_on_data(error):
            return
        op = getattr(error, "func", None)
        what = f"what '{op}' gives" if op else "control flow or a shape"
        raise _error(
            _own_place(frames),
            f"{what} depends on the values of tensors, which are not known before the program "
            f"runs ({_first_line(error)}); use torch.where and tensors of fixed shapes",
        ) from error


def _is_on_data(error: BaseException) -> bool:
    """Whether it says that something depends on the values of tensors."""
    names = {base.__name__ for base in type(error).__mro__}
    # An op in C++ reads elements, such as those of the places where `tensor_split` cuts.
    return bool(names.intersection(_ON_DATA)) or "its data is not allocated yet" in str(error)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _said(error: BaseException) -> str:
    """What an error of torch.compile explains, in one line."""
    parts = re.findall(r"^ *(?:Explanation|Hint): (.*)", str(error), re.M)
    return ("; ".join(parts[:2]) or _first_line(error))[:300]


def _error(place: Place | None, message: str) -> ProgramError:
    file, line = place or ("", 0)
    head = f"{file}:{line}: " if place else ""
    return ProgramError(head + message, [Diagnostic("error", message, file, line)])


def _own_place(frames: Sequence[Place]) -> Place | None:
    """The innermost of `frames` that is neither PyTorch's nor of this package."""
    import torch

    others = (str(Path(torch.__file__).parent), str(Path(__file__).parent), "<")
    own = [frame for frame in frames if not frame[0].startswith(others)]
    return own[-1] if own else None


def _frames_of(node: Any) -> list[Place]:
    """The lines that call the op, the innermost last."""
    text = node.meta.get("stack_trace") or ""
    return [(file, int(line)) for file, line in _FRAME.findall(text)]


def _place_of(node: Any) -> Place | None:
    return _own_place(_frames_of(node))


def _check_sizes(exported: Any) -> None:
    """Raises ProgramError for shapes and numbers that are known only when the program runs.

    torch-mlir does not come back from some of them.
    """
    import torch
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
    from torch.utils import _pytree as pytree

    for node in nodes_of(exported):
        for value in pytree.tree_leaves(node.meta.get("val")):
            if not isinstance(value, torch.Tensor | torch.SymInt | torch.SymFloat | torch.SymBool):
                continue
            if not isinstance(value, torch.Tensor) or free_unbacked_symbols(value):
                what = "the shape of what" if isinstance(value, torch.Tensor) else "what"
                raise _error(
                    _place_of(node),
                    f"{what} '{node.target}' gives depends on the values of tensors, which are "
                    "not known before the program runs; use torch.where and tensors of fixed "
                    "shapes",
                )


def _check_changes(exported: Any, name: str, names: Sequence[str]) -> None:
    signature = exported.graph_signature
    if changed := list(signature.user_inputs_to_mutate.values()):
        inputs = list(signature.user_inputs)
        which = ", ".join(names[inputs.index(tensor)] for tensor in changed)
        raise ProgramError(
            f"{name} changes {which} in place, which a program cannot; return the new "
            "value instead. Of a module in training this is a function that calls it by "
            "torch.func.functional_call with copies of its buffers, and returns them"
        )


def _check_bytes(exported: Any) -> None:
    """Raises ProgramError for what interpolates between integers."""
    for node in nodes_of(exported):
        if interpolates_bytes(node):
            raise _error(
                _place_of(node),
                f"'{node.target}' of uint8 is not read here; interpolate floats: x.float() in "
                "front of it, .round().clamp(0, 255).byte() behind",
            )


def _check_nested(node: Any) -> None:
    if name := inner_batches(node):
        raise _error(
            _place_of(node),
            f"'{name}' in a function that '{node.target}' takes is not read here; write the "
            "function without it",
        )


def _check_transform(node: Any) -> None:
    if (count := longest_transform(node)) > LONGEST:
        raise _error(
            _place_of(node),
            f"a Fourier transform of {count} elements; it is computed as a product with its "
            f"matrix, of at most {LONGEST} rows",
        )


def _check_op(node: Any) -> None:
    """Raises ProgramError for an op that takes functions or ops, and is not read."""
    import torch

    if not isinstance(node.target, torch._ops.HigherOrderOperator):
        return
    if not is_read(node.target):
        inner = [arg for arg in node.args if isinstance(arg, torch._ops.OpOverload)]
        op = inner[0] if inner else node.target
        raise _error(_place_of(node), f"'{op}' is not read here; write the module without it")
    if takes_numbers(node):
        raise _error(
            _place_of(node),
            f"'{node.target}' takes numbers that are known only when the program runs; give it "
            "tensors, such as torch.tensor(0)",
        )


def _place_functions(node: Any) -> None:
    """Gives ops in the functions of `node` its place: PyTorch keeps none of theirs."""
    place = _place_of(node)
    for function in functions_of(node):
        for inner in function.graph.nodes:
            if place and inner.op == "call_function" and _place_of(inner) in (None, place):
                inner.meta["stack_trace"] = f'File "{place[0]}", line {place[1]}, in function'


@dataclass
class _NotLowered:
    """What torch-mlir says of a program, and the ops that it names."""

    error: ProgramError
    ops: list[Any]


def _lowered(exported: Any, nodes: Sequence[Any]) -> str | _NotLowered:
    from torch_mlir import fx

    with Importer() as control:
        try:
            imported = fx.export_and_import(
                exported,
                output_type=fx.OutputType.RAW,
                decomposition_table={},
                func_name="main",
            )
        except Exception as error:
            raise ProgramError(f"torch-mlir cannot read the program: {error}") from error
    control.declare(imported)
    pipeline = _without_check() if control.is_used else _PIPELINE
    process = _run(pipeline, imported.operation.get_asm(enable_debug_info=True))
    if process.returncode != 0:
        return _not_lowered(process.stderr, process.returncode < 0, nodes)
    if "tm_tensor." in process.stdout:
        return _tm_tensor(process.stdout, nodes)
    if not control.is_used:
        return process.stdout
    inlined = _run(f"builtin.module(inline,symbol-dce,{_CHECK})", control.define(process.stdout))
    if inlined.returncode != 0:
        return _not_lowered(inlined.stderr, inlined.returncode < 0, nodes)
    return inlined.stdout


@cache
def _without_check() -> str:
    """The passes of the pipeline, but for the last one."""
    said = _run(_PIPELINE, "module {}", "--dump-pass-pipeline").stderr
    passes = said[said.index("builtin.module(") : said.rindex(_CHECK)]
    return passes.rstrip().rstrip(",") + ")"


def _run(pipeline: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs torch-mlir-opt on `text`."""
    import torch_mlir

    return subprocess.run(
        [
            str(Path(torch_mlir.__path__[0]) / "_mlir_libs" / "torch-mlir-opt"),
            f"--pass-pipeline={pipeline}",
            "--mlir-print-debuginfo",
            "--mlir-print-ir-after-failure",
            *options,
            "-",
        ],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def _at(place: Place | None, nodes: Sequence[Any]) -> tuple[list[str], Place | None]:
    """The ops of PyTorch that a line calls itself, and the line of the user that calls it."""
    found = [node for node in nodes if place and _frames_of(node)[-1:] == [place]]
    ops = dict.fromkeys(str(node.target) for node in found)
    own = next((own for own in map(_place_of, found) if own), None)
    return [op for op in ops if not op.startswith(("<", "_operator"))], own


def _named(ops: Sequence[str], nodes: Sequence[Any]) -> list[Any]:
    """The ops of `nodes` with the names `ops`, with or without that of the overload."""
    found = dict.fromkeys(node.target for node in nodes)
    return [op for op in found if {str(op), str(op).rpartition(".")[0]}.intersection(ops)]


def _not_lowered(said: str, is_crash: bool, nodes: Sequence[Any]) -> _NotLowered:
    """For what torch-mlir-opt has said."""
    found = _SAID.search(said)
    at_line, place = _at((found["file"], int(found["line"])), nodes) if found else ([], None)
    # An op without a place has none in what is said either.
    plain = re.search(r"error: (.*)", said)
    what = found["what"] if found else plain[1] if plain else "it does not say why"
    named = _OP.search(what)
    ops = [named[1] or named[2]] if named else at_line
    if not ops and _LAST_PASS in said:
        # What it names is an operand of the op, maybe a constant without a place.
        left = dict.fromkeys(_LEFT.findall(said[said.index(_LAST_PASS) :]))
        still = [node for node in nodes if str(node.target).startswith(tuple(left))]
        ops = list(dict.fromkeys(str(node.target) for node in still)) if left else []
        place = next(filter(None, map(_place_of, still)), None) if left else None
    which = ("one of " if len(ops) > 1 else "") + (
        ", ".join(f"'{op}'" for op in ops) or "an op of the program"
    )
    verb = "crashes at" if is_crash else "cannot lower"
    why = "" if named or ops else f": {what[:300]}"
    error = _error(place, f"torch-mlir {verb} {which}; write the module without it{why}")
    return _NotLowered(error, _named(ops, nodes))


def _tm_tensor(text: str, nodes: Sequence[Any]) -> _NotLowered:
    """For an op of the dialect tm_tensor, which torch-mlir makes of some ops."""
    at = text.index("tm_tensor.")
    kind = re.match(r"tm_tensor\.(\w+)", text[at:])
    # Behind the region of the op stands its location.
    behind = re.search(r"\n    \}[^\n]* loc\((.*)\)\n", text[at:])
    location = behind[1] if behind else ""
    aliases = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.M))
    while "#loc" in location:
        location = re.sub(r"#loc\d*", lambda match: aliases.get(match[0], ""), location)
    lines = [(file, int(line)) for file, line in re.findall(r'"([^"]+)":(\d+):', location)]
    ops, place = _at(lines[0] if lines else None, nodes)
    ops = [op for op in ops if set(op.split(".")).intersection(_NOT_READ)] or ops
    which = ("one of " if len(ops) > 1 else "") + ", ".join(f"'{op}'" for op in ops)
    error = _error(
        place,
        f"torch-mlir lowers {which or 'an op'} to 'tm_tensor.{kind[1] if kind else ''}', an op of "
        "its own dialect, which is not read here; write the module without it",
    )
    return _NotLowered(error, _named(ops, nodes))
