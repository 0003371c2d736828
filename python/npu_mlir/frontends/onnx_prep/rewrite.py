# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write operators in the form that lowers best: constants worked in, no f64."""

from __future__ import annotations

from collections.abc import Callable

import onnx

from . import rewrite_integer, rewrite_layout, rewrite_norm, rewrite_quant, rewrite_recurrent, rewrite_scan
from .functions import expand_schema_functions
from .work import Work, replace_nodes


def rewrite(work: Work) -> None:
    """Apply all rewrites; types must be inferred."""
    # The lowering of the op itself uses rounded constants; its ONNX definition does not.
    tanh_gelus = [n.name for n in work.graph.node if n.op_type == "Gelu" and len(n.attribute)]
    expand_schema_functions(work, tanh_gelus)
    result: list[onnx.NodeProto] = []
    for node in work.graph.node:
        step = _STEPS.get(node.op_type)
        made = step(work, node) if step is not None else None
        if made is None:
            result.append(node)
            continue
        origin = work.origins.get(node.name, node.name)
        for new in made:
            if new.name != node.name:
                work.origins[new.name] = origin
        result += made
    replace_nodes(work.graph, result)


_STEPS: dict[str, Callable[[Work, onnx.NodeProto], list[onnx.NodeProto] | None]] = {
    "BatchNormalization": rewrite_norm.batch_norm,
    "ConvInteger": rewrite_quant.conv_integer,
    "CumProd": rewrite_scan.cumulative_product,
    "CumSum": rewrite_scan.cumulative_sum,
    "DepthToSpace": rewrite_layout.depth_to_space,
    "DequantizeLinear": rewrite_quant.dequantize,
    "DynamicQuantizeLinear": rewrite_quant.dynamic_quantize,
    "GRU": rewrite_recurrent.recurrent,
    "Gemm": rewrite_layout.gemm,
    "InstanceNormalization": rewrite_norm.instance_norm,
    "LSTM": rewrite_recurrent.recurrent,
    "LayerNormalization": rewrite_norm.layer_norm,
    "LpNormalization": rewrite_norm.lp_normalization,
    "Neg": rewrite_integer.negate,
    "QLinearConv": rewrite_quant.qlinear_conv,
    "QLinearMatMul": rewrite_quant.qlinear_matmul,
    "QuantizeLinear": rewrite_quant.quantize,
    "RNN": rewrite_recurrent.recurrent,
    "ReduceLogSumExp": rewrite_norm.reduce_log_sum_exp,
    "Resize": rewrite_layout.resize_nearest,
    "SpaceToDepth": rewrite_layout.space_to_depth,
}
