# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the torch dialect from an fx graph, each op with the name of its node as location."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, Node
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras import fx_importer

from ..errors import UnsupportedNode, UnsupportedOpError
from .torch_prep.source import node_path, node_position
from .torch_prep.state import to_numpy


def _named(loc: ir.Location, node: Node, context: ir.Context) -> ir.Location:
    position = node_position(node)
    child = ir.Location.file(position[0], position[1], 0, context) if position else None
    return ir.Location.name(node_path(node), child, context)


class _NamedNodes(fx_importer.GraphNodeImporter):  # type: ignore[misc]
    """Puts the path of the node into the location of all that is made for it."""

    __slots__ = ()

    def _guarded(self, step: Any, node: Node, *arguments: Any) -> None:
        try:
            step(*arguments)
        except UnsupportedOpError:
            raise
        except Exception as error:
            # The importer raises NotImplementedError, AssertionError, TypeError ... for its gaps.
            position = node_position(node)
            raise UnsupportedOpError(
                [
                    UnsupportedNode(
                        name=node_path(node),
                        op_type=str(node.target),
                        domain="torch",
                        reason=f"{type(error).__name__}: {error}".splitlines()[0],
                        source=f"{position[0]}:{position[1]}" if position else None,
                    )
                ]
            ) from error

    def _import_torch_op_overload(self, loc: ir.Location, node: Node) -> None:
        step = super()._import_torch_op_overload
        self._guarded(step, node, _named(loc, node, self._c), node)

    def _import_getitem(self, loc: ir.Location, node: Node) -> None:
        self._guarded(super()._import_getitem, node, _named(loc, node, self._c), node)

    def _import_hop(self, loc: ir.Location, node: Node, hop: Any) -> None:
        self._guarded(super()._import_hop, node, _named(loc, node, self._c), node, hop)


class _InlineConstants(fx_importer.FxImporterHooks):  # type: ignore[misc]
    """Small constants as plain `dense` attributes instead of resource blobs."""

    def resolve_literal(self, gni: Any, literal: Any, info: Any) -> ir.Value | None:
        if not isinstance(literal, torch.Tensor) or literal.dtype == torch.bfloat16:
            return None
        type_ = gni._cc.tensor_to_vtensor_type(literal)
        array = to_numpy(literal)
        if literal.dtype == torch.bool:
            attribute = ir.DenseElementsAttr.get(
                array, type=ir.IntegerType.get_signless(1), shape=list(array.shape)
            )
        else:
            attribute = ir.DenseElementsAttr.get(array, signless=False)
        return ir.Operation.create(
            name="torch.vtensor.literal", results=[type_], attributes={"value": attribute}
        ).result


def build_torch_dialect(graph: Graph) -> str:
    """Text of the torch dialect with locations for a plain graph (see `torch_prep.state`).

    Raises:
        UnsupportedOpError: A node that the importer does not take.
    """
    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = fx_importer.FxImporter(
        context=context, hooks=_InlineConstants(), graph_node_importer_cls=_NamedNodes
    )
    importer.import_stateless_graph(graph, func_name="main")
    module: ir.Module = importer.module
    text: str = module.operation.get_asm(enable_debug_info=True)
    return text
