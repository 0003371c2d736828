// RUN: npu-opt %s --pass-pipeline="builtin.module(npu-set-target{target=%S/Inputs/one-loop.yaml},func.func(npu-set-schedule))" --split-input-file --verify-diagnostics

#id = affine_map<(i, j, k) -> (i, j, k)>

// One loop cannot cut two dimensions: 32 * 32 elements of two tensors remain, and 4 KiB do not hold them.
func.func @too_large(%x: tensor<32x32x32xf32>) -> tensor<32x32x32xf32> {
  // expected-error @below {{kernel 'k' does not fit target 'one-loop': it needs 8192 bytes of SRAM, of 4096, and 0 bytes of accumulator, of 1024, with the smallest tiles that 1 hardware loops can make; split the operator in the model, or choose a target with more on-chip memory}}
  %0 = npu.kernel "k" ins(%x : tensor<32x32x32xf32>) {
  ^bb0(%in: tensor<32x32x32xf32>):
    %1 = tensor.empty() : tensor<32x32x32xf32>
    %2 = npu.generic ins(%in : tensor<32x32x32xf32>) outs(%1 : tensor<32x32x32xf32>)
        attributes {extents = array<i64: 32, 32, 32>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<32x32x32xf32>
    npu.yield %2 : tensor<32x32x32xf32>
  } -> tensor<32x32x32xf32>
  return %0 : tensor<32x32x32xf32>
}
