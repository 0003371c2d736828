# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replace nodes by their function bodies: functions of the model, and of the ONNX schemas."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import onnx

from ...errors import InputError
from . import names
from .infer import known_types
from .work import Work, all_graphs, replace_nodes, subgraphs

# Functions whose bodies call others twice grow exponentially.
MAX_NODES = 1 << 17


def inline_model_functions(work: Work) -> None:
    """Replace every call of a function that the model defines by its body, to the bottom.

    The nodes of a body have the name of the call in front of theirs, and it as their origin.

    Raises:
        InputError: The bodies together have too many nodes.
    """
    bodies = {(function.domain, function.name): function for function in work.model.functions}
    if not bodies:
        return
    opsets = {entry.domain for entry in work.model.opset_import}
    for function in bodies.values():
        for entry in function.opset_import:
            if entry.domain not in opsets:
                opsets.add(entry.domain)
                work.model.opset_import.append(entry)
    used = {
        name for graph in all_graphs(work.graph) for node in graph.node for name in node.output
    } | {value.name for value in work.graph.input}
    _inline_calls(work, work.graph, bodies, used)
    del work.model.functions[:]


def _inline_calls(
    work: Work,
    graph: onnx.GraphProto,
    bodies: dict[tuple[str, str], onnx.FunctionProto],
    used: set[str],
) -> None:
    pending = list(graph.node)[::-1]
    result: list[onnx.NodeProto] = []
    while pending:
        node = pending.pop()
        body = bodies.get((node.domain, node.op_type))
        if body is None:
            for inner in subgraphs(node):
                _inline_calls(work, inner, bodies, used)
            result.append(node)
            continue
        origin = work.origins.get(node.name, node.name)
        nodes = _instantiate(node, body, used)
        work.origins.update({inner.name: origin for inner in nodes})
        pending += nodes[::-1]
        if len(pending) + len(result) > MAX_NODES:
            raise InputError(
                "the functions of the model are too large",
                code="E-ONNX",
                where=work.where,
                why=f"with their bodies in place of the calls it has more than {MAX_NODES:,} nodes; "
                f"the last one is a {node.op_type} inside of '{origin}'",
                fix="export the model without functions, or with fewer calls inside of them",
            )
    replace_nodes(graph, result)


def expand_schema_functions(work: Work, node_names: Collection[str]) -> list[str]:
    """Replace the named nodes by their bodies in the ONNX schema, where there is one.

    Args:
        work: A model with inferred types.
        node_names: Nodes of the main graph to replace.

    Returns:
        Names of the nodes that were replaced.
    """
    types = known_types(work.graph)
    used = {
        name for graph in all_graphs(work.graph) for node in graph.node for name in node.output
    } | set(types)
    result: list[onnx.NodeProto] = []
    done: list[str] = []
    for node in work.graph.node:
        body = None
        if node.name in node_names and node.domain in ("", "ai.onnx"):
            body = _schema_body(node, work.opset(), types)
        if body is None:
            result.append(node)
            continue
        done.append(node.name)
        origin = work.origins.get(node.name, node.name)
        for inner in _instantiate(node, body, used):
            work.origins[inner.name] = origin
            result.append(inner)
    if done:
        replace_nodes(work.graph, result)
        names.unique_names(work, new_origin=None)
    return done


def _schema_body(
    node: onnx.NodeProto, opset: int, types: dict[str, onnx.TypeProto]
) -> onnx.FunctionProto | None:
    try:
        # Typed Any: the stubs of onnx lack the function accessors.
        schema: Any = onnx.defs.get_schema(node.op_type, opset, "")
    except onnx.defs.SchemaError:
        return None
    data = b""
    version = _body_version(schema.function_opset_versions, opset)
    if version is not None:
        data = schema.get_function_with_opset_version(version)
    version = _body_version(schema.context_dependent_function_opset_versions, opset)
    if not data and version is not None:
        given = [types.get(name, onnx.TypeProto()).SerializeToString() for name in node.input]
        try:
            data = schema.get_context_dependent_function_with_opset_version(
                version, node.SerializeToString(), given
            )
        except RuntimeError:
            return None
    return onnx.FunctionProto.FromString(data) if data else None


def _body_version(versions: Iterable[int], opset: int) -> int | None:
    """The newest body that is written for operators of this opset or before."""
    return max((version for version in versions if version <= opset), default=None)


def _attributes(node: onnx.NodeProto, body: onnx.FunctionProto) -> dict[str, onnx.AttributeProto]:
    """Values that attribute references of the body stand for."""
    values = {attribute.name: attribute for attribute in body.attribute_proto}
    schema = onnx.defs.get_schema(node.op_type, "") if node.domain == "" else None
    if schema is not None:
        for name, attribute in schema.attributes.items():
            if attribute.default_value.type:
                values[name] = attribute.default_value
    values.update({attribute.name: attribute for attribute in node.attribute})
    return values


def _instantiate(
    node: onnx.NodeProto, body: onnx.FunctionProto, used: set[str]
) -> list[onnx.NodeProto]:
    """The body's nodes with the names and attributes of the call."""
    actual = list(node.input) + [""] * (len(body.input) - len(node.input))
    renames = dict(zip(body.input, actual, strict=False))
    outputs = list(node.output) + [""] * (len(body.output) - len(node.output))
    renames.update(
        {formal: name for formal, name in zip(body.output, outputs, strict=True) if name}
    )
    attributes = _attributes(node, body)
    result = []
    for index, inner in enumerate(body.node):
        clone = onnx.NodeProto()
        clone.CopyFrom(inner)
        clone.name = f"{node.name}/{inner.name or f'{inner.op_type}_{index}'}"
        _specialize(clone, renames, attributes, f"{node.name}/", used)
        result.append(clone)
    return result


def _specialize(
    node: onnx.NodeProto,
    renames: dict[str, str],
    attributes: dict[str, onnx.AttributeProto],
    prefix: str,
    used: set[str],
) -> None:
    """Rename the values of one node and of its graphs, and resolve its attribute references."""
    for index, name in enumerate(node.input):
        node.input[index] = renames.get(name, name)
    for index, name in enumerate(node.output):
        if name and name not in renames:
            renames[name] = _fresh(prefix + name, used)
        node.output[index] = renames.get(name, name)
    resolved = []
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            value = attributes.get(attribute.ref_attr_name)
            if value is None:
                continue
            copy = onnx.AttributeProto()
            copy.CopyFrom(value)
            copy.name = attribute.name
            resolved.append(copy)
            continue
        copy = onnx.AttributeProto()
        copy.CopyFrom(attribute)
        for graph in ([copy.g] if copy.HasField("g") else []) + list(copy.graphs):
            for value in graph.input:
                renames[value.name] = _fresh(prefix + value.name, used)
                value.name = renames[value.name]
            for tensor in graph.initializer:
                renames[tensor.name] = _fresh(prefix + tensor.name, used)
                tensor.name = renames[tensor.name]
            for inner in graph.node:
                inner.name = prefix + (inner.name or inner.op_type)
                _specialize(inner, renames, attributes, prefix, used)
            for value in graph.output:
                value.name = renames.get(value.name, value.name)
        resolved.append(copy)
    del node.attribute[:]
    node.attribute.extend(resolved)


def _fresh(name: str, used: set[str]) -> str:
    candidate, count = name, 1
    while candidate in used:
        count += 1
        candidate = f"{name}#{count}"
    used.add(candidate)
    return candidate
