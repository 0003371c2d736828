# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turn the state of an exported program into weights and its graph into a plain function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument
from torch.fx import Graph, Node
from torch.utils import _pytree as pytree

from ...errors import InputError, UnsupportedNode, UnsupportedOpError
from ..model import TensorSpec
from ..validate import refuse_nan
from .fold import fold_constants
from .source import node_path

# Smaller constants stay in the program: index tensors and scalars, whose values lowerings look at.
MAX_INLINE_ELEMENTS = 64
_STATE_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


@dataclass
class PlainFunction:
    """A graph whose placeholders are inputs and weights only, and whose outputs are tensors only.

    Attributes:
        graph: The graph; constants kept inside are tensors in the arguments of `clone` nodes.
        weights: Name to array; the arrays share memory with the module.
        weight_args: Placeholder index to weight name.
        inputs: The other placeholders.
        outputs: The results.
        warnings: For the user.
    """

    graph: Graph
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    weight_args: dict[int, str] = field(default_factory=dict)
    inputs: list[TensorSpec] = field(default_factory=list)
    outputs: list[TensorSpec] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    """The tensor as an array without a copy where possible; bfloat16 by way of its bits."""
    value = tensor.detach().cpu().contiguous()
    if value.dtype == torch.bfloat16:
        import ml_dtypes

        return value.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return value.numpy()


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _state_value(program: ExportedProgram, target: str, where: str) -> torch.Tensor:
    # Non-persistent buffers are among the constants, not in the state dict.
    for holder in (program.state_dict, program.constants):
        value = holder.get(target)
        if isinstance(value, torch.Tensor):
            return value
    node = UnsupportedNode(target, "constant object", "torch", "it is not a tensor")
    raise UnsupportedOpError([node], where=where)


def _static_shape(node: Node, name: str, where: str) -> tuple[int, ...]:
    shape = tuple(node.meta["val"].shape)
    if any(not isinstance(size, int) for size in shape):
        sizes = ", ".join(str(size) for size in shape)
        unsupported = UnsupportedNode(
            node_path(node), str(node.target), "torch", f"the shape of '{name}' is [{sizes}]"
        )
        raise UnsupportedOpError([unsupported], where=where)
    return shape


def _refuse_dynamic_inputs(graph: Graph, values: dict[Node, torch.Tensor], where: str) -> None:
    """All dynamic inputs at once; outputs follow from them."""
    found = []
    for node in graph.nodes:
        if node.op != "placeholder" or node in values:
            continue
        shape = tuple(node.meta["val"].shape)
        axes = [str(axis) for axis, size in enumerate(shape) if not isinstance(size, int)]
        if axes:
            sizes = ", ".join(str(size) for size in shape)
            found.append(f"input '{node.name}' [{sizes}]: dimension {', '.join(axes)}")
    if found:
        raise InputError(
            "the exported program has dynamic dimensions",
            code="E-DYNAMIC",
            where=where,
            why="\n".join(found),
            fix="export it without dynamic_shapes",
        )


def _memory_key(tensor: torch.Tensor) -> tuple[Any, ...]:
    return (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)


def _keep_inside(graph: Graph, node: Node, value: torch.Tensor) -> None:
    """Replace a node by a constant behind a `clone`: lists must not hold bare tensors."""
    with graph.inserting_after(node):
        clone = graph.call_function(torch.ops.aten.clone.default, (node,))
    clone.meta = dict(node.meta)
    node.replace_all_uses_with(clone)
    clone.args = (value.detach().cpu().contiguous(),)
    graph.erase_node(node)


def _read_placeholders(
    program: ExportedProgram, graph: Graph, where: str
) -> tuple[dict[Node, torch.Tensor], dict[Node, str]]:
    """Values and names of the placeholders that are state; constant arguments are removed."""
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    values: dict[Node, torch.Tensor] = {}
    names: dict[Node, str] = {}
    for node in [node for node in graph.nodes if node.op == "placeholder"]:
        spec = specs[node.name]
        if isinstance(spec.arg, ConstantArgument):
            node.replace_all_uses_with(spec.arg.value)
            graph.erase_node(node)
        elif spec.kind in _STATE_KINDS and spec.target is not None:
            values[node] = _state_value(program, spec.target, where)
            names[node] = spec.target
        elif spec.kind != InputKind.USER_INPUT or not isinstance(spec.arg, TensorArgument):
            unsupported = UnsupportedNode(node.name, str(spec.kind), "torch", "not a tensor input")
            raise UnsupportedOpError([unsupported], where=where)
    return values, names


def plain_function(program: ExportedProgram, where: str) -> PlainFunction:
    """Separate weights from inputs, compute what depends on weights only, flatten the outputs.

    Args:
        program: A decomposed program without mutation; its graph is changed.
        where: What to call it in messages.

    Raises:
        InputError: A dynamic dimension, or NaN in a small weight.
        UnsupportedOpError: State that is not a tensor.
    """
    graph = program.graph
    result = PlainFunction(graph)
    values, names = _read_placeholders(program, graph, where)
    _refuse_dynamic_inputs(graph, values, where)
    # Small ones end up inside the text, where nobody looks at them again.
    refuse_nan(
        {
            names[node]: to_numpy(value)
            for node, value in values.items()
            if value.numel() <= MAX_INLINE_ELEMENTS
        },
        where,
    )
    _flatten_outputs(program, graph, result, where)
    folded = fold_constants(graph, values)
    values.update(folded)
    names.update({node: node_path(node) for node in folded})
    for node in [node for node in values if not node.users]:
        graph.erase_node(node)
        del values[node]
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    for node in placeholders[:-1]:
        # Constants that become nodes must not stand between placeholders.
        placeholders[-1].prepend(node)
    small = {node for node, value in values.items() if value.numel() <= MAX_INLINE_ELEMENTS}
    for node in [node for node in placeholders if node in small]:
        _keep_inside(graph, node, values[node])
    _number_arguments(graph, values, names, result, where)
    graph.lint()
    return result


def _number_arguments(
    graph: Graph,
    values: dict[Node, torch.Tensor],
    names: dict[Node, str],
    result: PlainFunction,
    where: str,
) -> None:
    """Fill in weights and inputs; weights that share memory become one."""
    shared: dict[tuple[Any, ...], str] = {}
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    for index, node in enumerate(placeholders):
        if node not in values:
            shape = _static_shape(node, node.name, where)
            dtype = _dtype_name(node.meta["val"].dtype)
            result.inputs.append(TensorSpec(node.name, shape, dtype))
            continue
        name = shared.setdefault(_memory_key(values[node]), names[node])
        if name not in result.weights:
            result.weights[name] = to_numpy(values[node])
        result.weight_args[index] = name


def _output_names(program: ExportedProgram, count: int) -> list[str]:
    """`logits`, `output0`, ...: keys of the user's output structure where it has any."""
    spec = program.call_spec.out_spec
    if spec is None or spec.num_leaves != count:
        return [f"output{i}" for i in range(count)]
    paths, _ = pytree.tree_flatten_with_path(pytree.tree_unflatten(list(range(count)), spec))
    names = []
    for path, index in paths:
        text = pytree.keystr(path).replace("[", ".").replace("]", "").replace("'", "").strip(".")
        text = text or "output"
        names.append(f"output{text}" if text[0].isdigit() else text)
        assert index == len(names) - 1
    return names


def _flatten_outputs(
    program: ExportedProgram, graph: Graph, result: PlainFunction, where: str
) -> None:
    output = graph.output_node()
    values: list[Any] = list(output.args[0])  # type: ignore[arg-type]
    specs = program.graph_signature.output_specs
    user = [i for i, spec in enumerate(specs) if spec.kind == OutputKind.USER_OUTPUT]
    names = dict(zip(user, _output_names(program, len(user)), strict=True))
    kept = []
    for position in user:
        value, name = values[position], names[position]
        if not isinstance(value, Node) or not isinstance(value.meta.get("val"), torch.Tensor):
            result.warnings.append(f"W-OUTPUT: output '{name}' is not a tensor and is left out")
            continue
        shape = _static_shape(value, name, where)
        result.outputs.append(TensorSpec(name, shape, _dtype_name(value.meta["val"].dtype)))
        kept.append(value)
    if not kept:
        raise InputError("the model has no tensor output", where=where)
    output.args = (tuple(kept),)
