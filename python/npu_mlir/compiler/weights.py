# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights and names into the module: function arguments become constants that share the arrays' memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import InternalError

if TYPE_CHECKING:
    from ..frontends import ImportedModel
    from ..mlir import ir


def attach_weights(module: ir.Module, imported: ImportedModel) -> None:
    """Replace the weight arguments of `@main` by constants.

    Each weight becomes one `arith.constant dense_resource<...>` over the array's own memory; nothing
    is copied and nothing goes through text. Arrays of bool are stored as one byte an element by numpy
    and become i1 elements attributes.

    Raises:
        InternalError: a weight's shape or element type is not that of its argument.
    """
    from ..mlir import ir

    function = _find_main(module)
    block = function.regions[0].blocks[0]
    with module.context, ir.InsertionPoint.at_block_begin(block):
        for index in sorted(imported.weight_args):
            name = imported.weight_args[index]
            argument = block.arguments[index]
            location = ir.Location.name(name)
            attribute = _elements(np.asarray(imported.weights[name]), name, ir.RankedTensorType(argument.type))
            constant = ir.Operation.create(
                "arith.constant", results=[argument.type], attributes={"value": attribute}, loc=location
            )
            argument.replace_all_uses_with(constant.result)
        for index in sorted(imported.weight_args, reverse=True):
            block.erase_argument(index)
        results = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results
        function.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get([argument.type for argument in block.arguments], results)
        )
        if "arg_attrs" in function.attributes:
            kept = [a for i, a in enumerate(function.attributes["arg_attrs"]) if i not in imported.weight_args]
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)


def name_tensors(module: ir.Module, imported: ImportedModel) -> None:
    """Put the model's names on the inputs and outputs of `@main`, as `npu.name`; one that is there already stays.

    Weights have their names already: the locations of their constants.
    """
    from ..mlir import ir

    function = _find_main(module)
    with module.context:
        for key, specs in (("arg_attrs", imported.inputs), ("res_attrs", imported.outputs)):
            present = function.attributes[key] if key in function.attributes else [ir.DictAttr.get({})] * len(specs)
            named = []
            for attributes, spec in zip(present, specs, strict=True):
                entries = {attributes[i].name: attributes[i].attr for i in range(len(attributes))}
                named.append(ir.DictAttr.get({"npu.name": ir.StringAttr.get(spec.name), **entries}))
            function.attributes[key] = ir.ArrayAttr.get(named)


def _find_main(module: ir.Module) -> ir.Operation:
    for op in module.body.operations:
        if op.operation.name == "func.func" and op.operation.attributes["sym_name"].value == "main":
            return op.operation
    raise InternalError("the imported module has no function 'main'")


def _elements(array: np.ndarray, name: str, tensor: ir.RankedTensorType) -> ir.Attribute:
    from ..mlir import ir

    if tuple(tensor.shape) != array.shape:
        raise InternalError(
            f"weight '{name}' has shape {list(array.shape)}, but its argument is {tensor}", code="E-WEIGHT"
        )
    data = np.ascontiguousarray(array)
    if array.dtype == np.bool_:
        # The plain form packs bits as numpy does, in little-endian order, over all dimensions.
        bits = np.packbits(data.reshape(-1), bitorder="little")
        return ir.DenseElementsAttr.get(bits, type=tensor.element_type, shape=list(array.shape))
    if data.size == 0:
        # The resource form refuses empty blobs.
        return ir.DenseElementsAttr.get(data, type=tensor.element_type, shape=list(array.shape))
    width = _bits(tensor.element_type)
    if width != data.dtype.itemsize * 8:
        raise InternalError(
            f"weight '{name}' has element type {array.dtype}, but its argument is {tensor}", code="E-WEIGHT"
        )
    return ir.DenseResourceElementsAttr.get_from_buffer(data.view(np.uint8).reshape(-1), name, tensor)


def _bits(element: ir.Type) -> int:
    from ..mlir import ir

    if isinstance(element, ir.IntegerType):
        return int(element.width)
    return {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[str(element)]
