# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX: StableHLO, lowered to linalg by iree-opt."""

import io
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shard._errors import ProgramError, RunError
from shard._foreign import is_foreign, spec_of
from shard._grid import Grid, P
from shard._jax_calls import declare, replace_by_call
from shard._jax_dots import put_dots, take_dots
from shard._jax_extremes import rewrite_extremes
from shard._jax_fourier import rewrite_fourier
from shard._jax_linear_algebra import lower
from shard._jax_manual import put_manual, take_manual
from shard._jax_pooling import rewrite_pooling
from shard._jax_rewrites import place_of, rewrite
from shard._jax_scatters import rewrite_scatters
from shard._jax_sorts import rewrite_sorts
from shard._program import Program, Trees, load
from shard._trees import positional_parameters, structure_error
from shard._types import dtype_of

_STEP = "--iree-stablehlo-input-transformation-pipeline"
# A constraint crosses the lowering as a call of a function without a body.
_MARK = "__shard_constraint_"


def from_jax(
    fn: Callable[..., Any],
    *args: Any,
    in_shardings: Any = None,
    out_shardings: Any = None,
    **kwargs: Any,
) -> Program:
    """The program of a function of JAX, for arguments of the shapes of `args`.

    Args:
        fn: what `jax.jit` takes.
        args: arrays, `jax.ShapeDtypeStruct`s or pytrees of them. Those with a
            `NamedSharding` have it as a hint.
        in_shardings: for each of `args` a `PartitionSpec`, a `NamedSharding`, a `P`, None,
            or a pytree of them; hints that `Program.partition` adds its own to. The mesh of
            a `NamedSharding` is the grid if `partition` is given none.
        out_shardings: the same for the result.
        kwargs: the same as `args`, by name.

    Returns:
        A program whose partitions take and give the pytrees of `fn`. Its arguments are
        named after the parameters of `fn` and the paths in them: `params.layer0.w`.

    Raises:
        ImportError: jax or iree-base-compiler is not installed.
        ProgramError: the program cannot be lowered to linalg.
    """
    try:
        import jax
    except ImportError as error:
        raise ImportError(
            f"shard.from_jax needs JAX and iree-base-compiler: pip install '.[jax]' ({error})"
        ) from error
    lowered = lower(jax.jit(fn, keep_unused=True), args, kwargs)
    module = _copy(lowered.compiler_ir("stablehlo"))
    manual = take_manual(module)
    grid, constraints = _take_shardings(module)
    rewrite(module)
    rewrite_scatters(module)
    rewrite_sorts(module)
    rewrite_pooling(module)
    rewrite_extremes(module)
    rewrite_fourier(module)
    dots = take_dots(module)
    text = _lower(module.operation.get_asm(enable_debug_info=True))
    if unread := re.search(r"\biree_linalg_ext\.(\w+)", text):
        raise ProgramError(
            f"iree-opt lowers '{unread[1]}' to an op of its own dialect, iree_linalg_ext, which "
            "is not read here; write the function without it"
        )
    text = put_dots(put_manual(_put_shardings(text, grid, constraints), manual), dots)
    program = load(text, name=_name_of(fn))

    leaves, structure = jax.tree_util.tree_flatten_with_path((args, kwargs))
    parameters = positional_parameters(fn)
    program.names = [_leaf_name(path, parameters) for path, _ in leaves]
    # An array of typed keys of random numbers has no integer dtype: it is no example.
    infos = jax.tree_util.tree_leaves(lowered.args_info)
    program.examples = {
        name: np.array(leaf, info.dtype)
        for name, (_, leaf), info in zip(program.names, leaves, infos, strict=True)
        if jax.numpy.issubdtype(info.dtype, np.integer)
        and not isinstance(leaf, jax.ShapeDtypeStruct)
    }
    results, result_structure = jax.tree_util.tree_flatten(lowered.out_info)
    program.trees = _JaxTrees(
        program, structure, result_structure, [r.dtype for r in results], parameters
    )
    given = [getattr(leaf, "sharding", None) for _, leaf in leaves]
    if in_shardings is not None:
        wanted = _broadcast((tuple(in_shardings), {}), (args, kwargs))
        given = [w if w is not None else g for w, g in zip(wanted, given, strict=True)]
    results_given: list[Any] = []
    if out_shardings is not None:
        results_given = _broadcast(out_shardings, lowered.out_info)
    program.hints = {
        **{i: spec for i, spec in enumerate(map(_to_spec, given)) if spec is not None},
        **{
            f"result{i}": spec
            for i, spec in enumerate(map(_to_spec, results_given))
            if spec is not None
        },
    }
    if not grid:
        program.grid = _grid_of([*given, *results_given])
    return program


def _copy(module: Any) -> Any:
    """A module to change: that of a lowering is the one in the cache of JAX."""
    from jaxlib.mlir import ir

    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    return ir.Module.parse(bytecode.getvalue(), module.context)


def _grid_of(shardings: list[Any]) -> Grid | None:
    """The grid of the mesh that the NamedShardings among `shardings` are on."""
    from jax.sharding import NamedSharding

    grids = {Grid.of(s.mesh) for s in shardings if isinstance(s, NamedSharding)}
    if len(grids) > 1:
        raise ProgramError(
            f"the shardings are on several meshes, {', '.join(map(repr, grids))}; one is supported"
        )
    return grids.pop() if grids else None


class _JaxTrees(Trees):
    """Pytrees as flat lists of arrays and back."""

    def __init__(
        self,
        program: Program,
        structure: Any,
        result_structure: Any,
        dtypes: list[Any],
        parameters: list[str],
    ) -> None:
        self._names = program.names
        self._parameters = parameters
        self._elements = [value.element_type for value in program.arguments]
        self._structure = structure
        self._result_structure = result_structure
        self._dtypes = dtypes

    def flatten(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
        import jax

        tree = (arguments, dict(keywords))
        leaves, structure = jax.tree_util.tree_flatten(tree)
        if structure != self._structure:
            paths = jax.tree_util.tree_flatten_with_path(tree)[0]
            given = [_leaf_name(path, self._parameters) for path, _ in paths]
            raise RunError(structure_error(given, self._names))
        return [
            _reinterpreted(_to_numpy(leaf), dtype_of(element))
            for leaf, element in zip(leaves, self._elements, strict=True)
        ]

    def unflatten(self, results: list[Any]) -> Any:
        import jax

        return jax.tree_util.tree_unflatten(
            self._result_structure,
            [
                _from_numpy(result, dtype)
                for result, dtype in zip(results, self._dtypes, strict=True)
            ],
        )

    def flatten_results(self, results: Any) -> list[Any]:
        import jax

        return [_to_numpy(leaf) for leaf in jax.tree_util.tree_leaves(results)]


def _is_key(dtype: Any) -> bool:
    import jax

    return bool(jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key))


def _to_numpy(leaf: Any) -> Any:
    """An array of numpy; of a key of random numbers its integers. Python's numbers stay, and
    take the type that the program wants, as for JAX. Arrays of 64 bits become those of 32 where
    JAX makes them that (`jax_enable_x64`).
    """
    import jax

    if isinstance(leaf, bool | int | float | complex) and not isinstance(leaf, np.generic):
        return leaf
    if _is_key(getattr(leaf, "dtype", None)):
        leaf = jax.random.key_data(leaf)
    array = np.asarray(leaf)
    return array.astype(jax.dtypes.canonicalize_dtype(array.dtype), copy=False)


def _from_numpy(array: Any, dtype: Any) -> Any:
    import jax

    if _is_key(dtype):
        names = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}
        return jax.random.wrap_key_data(array.view(np.uint32), impl=names[dtype.name])
    return _reinterpreted(array, np.dtype(dtype))


def _reinterpreted(array: Any, dtype: Any) -> Any:
    """Unsigned integers cross as the signless ones of their width."""
    if not hasattr(array, "dtype"):
        return array
    if array.dtype != dtype and {array.dtype.kind, dtype.kind} == {"i", "u"}:
        if array.dtype.itemsize == dtype.itemsize:
            return array.view(dtype)
    return array


def _name_of(fn: Callable[..., Any]) -> str:
    return f"<jax {getattr(fn, '__name__', 'function')}>"


def _leaf_name(path: tuple[Any, ...], parameters: list[str]) -> str:
    """`params.w` of the path `[0][0]['params']['w']` in (args, kwargs)."""
    import jax

    inside = jax.tree_util.keystr(path[2:], simple=True, separator=".")
    if path[0].idx == 0:
        number = path[1].idx
        head = parameters[number] if number < len(parameters) else f"arg{number}"
    else:
        head = str(path[1].key)
    return f"{head}.{inside}" if inside else head


def _broadcast(specs: Any, tree: Any) -> list[Any]:
    """One spec per leaf of `tree`; a spec stands for all leaves below its place."""
    import jax
    from jax.sharding import NamedSharding, PartitionSpec

    def is_spec(value: Any) -> bool:
        return value is None or isinstance(value, P | PartitionSpec | NamedSharding)

    flat: list[Any] = []

    def add(spec: Any, below: Any) -> None:
        flat.extend([spec] * len(jax.tree_util.tree_leaves(below)))

    jax.tree_util.tree_map(add, specs, tree, is_leaf=is_spec)
    return flat


def _to_spec(spec: Any) -> P | None:
    if isinstance(spec, P):
        return spec
    return spec_of(spec, None) if is_foreign(spec) else None


def _take_shardings(module: Any) -> tuple[str, list[str]]:
    """Takes what StableHLO says of shardings out of `module`.

    Returns the text of the grid, empty if there is none, and the shardings of the
    constraints, by the numbers of the functions that now stand for them.
    """
    from jaxlib.mlir import ir

    grids: list[str] = []
    constraints: list[str] = []
    empty: set[str] = set()
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name.startswith("sdy."):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    with module.context, ir.Location.unknown():
        for op in found:
            if op.name == "sdy.mesh":
                # JAX constrains the keys of its random numbers on a mesh without axes.
                if text := _grid_text(op):
                    grids.append(text)
                else:
                    empty.add(str(op.attributes["sym_name"]).strip('"'))
                op.erase()
            elif op.name == "sdy.sharding_constraint" and _mesh_of(op) in empty:
                op.results[0].replace_all_uses_with(op.operands[0])
                op.erase()
            elif op.name == "sdy.sharding_constraint":
                number = len(constraints)
                constraints.append(_sharding_text(op.attributes["sharding"]))
                declare(module, f"{_MARK}{number}", op)
                replace_by_call(op, f"{_MARK}{number}")
            else:
                raise ProgramError(
                    f"{place_of(op)}: '{op.name}' is not supported here: only "
                    "with_sharding_constraint is"
                )
        for function in module.body.operations:
            _drop_argument_shardings(function)
    if len(set(grids)) > 1:
        raise ProgramError("the function names several meshes; one is supported")
    return (grids[0] if grids else ""), constraints


def _mesh_of(op: Any) -> str:
    found = re.search(r"@(\w+)", str(op.attributes["sharding"]))
    return found[1] if found else ""


def _grid_text(op: Any) -> str:
    """The grid of a mesh; empty if it has no axes."""
    name = str(op.attributes["sym_name"]).strip('"')
    axes = re.findall(r'"((?:[^"\\]|\\.)*)"=(\d+)', str(op.attributes["mesh"]))
    if not axes:
        return ""
    shape = "x".join(size for _, size in axes)
    names = ", ".join(f'"{axis}"' for axis, _ in axes)
    return f"shard.grid @{name}(shape = {shape}) axes [{names}]"


def _sharding_text(attribute: Any) -> str:
    """`<@mesh, [["data"], [?]]>` of `#sdy.sharding<@mesh, [{"data"}, {?}]>`."""
    text = str(attribute)
    text = text[text.index("<") :]
    return text.replace("{", "[").replace("}", "]").replace("replicated=", "replicated = ")


def _drop_argument_shardings(function: Any) -> None:
    from jaxlib.mlir import ir

    for key in ("arg_attrs", "res_attrs"):
        if key not in function.attributes:
            continue
        kept = []
        for attributes in function.attributes[key]:
            pairs = {named.name: named.attr for named in attributes}
            kept.append(
                ir.DictAttr.get({k: v for k, v in pairs.items() if not k.startswith("sdy.")})
            )
        function.attributes[key] = ir.ArrayAttr.get(kept)


def _iree_opt() -> str:
    """The program iree-opt of the package iree-base-compiler."""
    beside = Path(sys.executable).with_name("iree-opt")
    found = str(beside) if beside.exists() else shutil.which("iree-opt")
    if not found:
        raise ImportError("iree-opt lowers programs of JAX: pip install iree-base-compiler==3.13.0")
    return found


def _lower(text: str) -> str:
    process = subprocess.run(
        [_iree_opt(), _STEP, "--mlir-print-debuginfo", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        raise ProgramError("iree-opt cannot lower the program:\n" + process.stderr.strip())
    return process.stdout


def _put_shardings(text: str, grid: str, constraints: list[str]) -> str:
    """`text` with the constraints in the place of their calls, and with the grid."""
    text = re.sub(rf"^ *func\.func private @{_MARK}\d+\(.*\n", "", text, flags=re.M)

    def constraint(match: re.Match[str]) -> str:
        return f"shard.constraint {match[2]} to {constraints[int(match[1])]} : {match[3]}"

    text = re.sub(
        rf"(?:func\.)?call @{_MARK}(\d+)\((%[\w#]+)\) : \((tensor<[^()]*>)\) -> tensor<[^()]*?>"
        r"(?= loc|\n)",
        constraint,
        text,
    )
    if grid:
        text = re.sub(r"^(module\b[^\n]*\{)$", rf"\1\n  {grid}", text, count=1, flags=re.M)
    return text
