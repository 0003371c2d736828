// RUN: npu-opt %s --npu-fuse-epilogue --split-input-file | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Acts: bias, then rounding to f16, become one epilogue; the type of the result changes with it.
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @bias_and_round
// CHECK: npu.matmul ins(%arg0, %arg1 : {{.*}}) outs(%{{.*}} : tensor<4x16xf16>) {epilogue_maps = [#[[ROW]]]} epilogue(%arg2 : tensor<16xf32>) {
// CHECK: ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32):
// CHECK: %[[S:.*]] = arith.addf %[[ACC]], %[[B]]
// CHECK: %[[T:.*]] = arith.truncf %[[S]]
// CHECK: npu.yield %[[T]] : f16
// CHECK-NOT: npu.generic
func.func @bias_and_round(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %bias: tensor<16xf32>) -> tensor<4x16xf16> {
  %e = tensor.empty() : tensor<4x16xf32>
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %s = npu.generic ins(%m, %bias : tensor<4x16xf32>, tensor<16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    npu.yield %0 : f32
  } -> tensor<4x16xf32>
  %e16 = tensor.empty() : tensor<4x16xf16>
  %r = npu.generic ins(%s : tensor<4x16xf32>) outs(%e16 : tensor<4x16xf16>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f16):
    %0 = arith.truncf %x : f32 to f16
    npu.yield %0 : f16
  } -> tensor<4x16xf16>
  return %r : tensor<4x16xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Boundary: of two products that are added, the later one gets the epilogue and reads the other.
// CHECK-LABEL: func.func @sum_of_two
// CHECK: %[[A:.*]] = npu.matmul {{.*}} -> tensor<4x16xf32>
// CHECK: npu.matmul {{.*}} epilogue(%[[A]] : tensor<4x16xf32>)
// CHECK-NOT: npu.generic
func.func @sum_of_two(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %n = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %s = npu.generic ins(%m, %n : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    npu.yield %0 : f32
  } -> tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// Declines: a result with two uses, one read in another order, and a reduction.
// CHECK-LABEL: func.func @declined
// CHECK-COUNT-3: npu.generic
func.func @declined(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %i: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %twice = npu.generic ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
    attributes {extents = array<i64: 4, 4>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %x : f32
    npu.yield %0 : f32
  } -> tensor<4x4xf32>
  %n = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %swapped = npu.generic ins(%n : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
    attributes {extents = array<i64: 4, 4>, indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %0 = math.exp %x : f32
    npu.yield %0 : f32
  } -> tensor<4x4xf32>
  %p = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %sum = npu.generic ins(%p : tensor<4x4xf32>) outs(%i : tensor<4xf32>)
    attributes {extents = array<i64: 4, 4>, indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %o : f32
    npu.yield %0 : f32
  } -> tensor<4xf32>
  return %m, %twice, %swapped, %sum : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Declines: an epilogue does not know its position.
// CHECK-LABEL: func.func @position
// CHECK: npu.matmul {{.*}} -> tensor<4x16xf32>
// CHECK: npu.generic
func.func @position(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %e: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = npu.generic ins(%m : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %p = npu.index 0 : i32
    %q = arith.sitofp %p : i32 to f32
    %z = arith.addf %x, %q : f32
    npu.yield %z : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Declines: the init is read, which an epilogue does not have.
// CHECK-LABEL: func.func @reads_init
// CHECK: npu.matmul {{.*}} -> tensor<4x16xf32>
// CHECK: npu.generic
func.func @reads_init(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %e: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = npu.generic ins(%m : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %z = arith.addf %x, %o : f32
    npu.yield %z : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// The boundary, inside: 16 operands, with the accumulator and the result, are those of a drain of this target.
// CHECK-LABEL: func.func @most_operands
// CHECK: npu.matmul {{.*}} epilogue(
// CHECK-NOT: npu.generic
// CHECK: return
func.func @most_operands(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %b0: tensor<16xf32>, %b1: tensor<16xf32>, %b2: tensor<16xf32>, %b3: tensor<16xf32>, %b4: tensor<16xf32>, %b5: tensor<16xf32>, %b6: tensor<16xf32>, %b7: tensor<16xf32>, %b8: tensor<16xf32>, %b9: tensor<16xf32>, %b10: tensor<16xf32>, %b11: tensor<16xf32>, %b12: tensor<16xf32>, %b13: tensor<16xf32>, %e: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = npu.generic ins(%m, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %b10, %b11, %b12, %b13 : tensor<4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %y0: f32, %y1: f32, %y2: f32, %y3: f32, %y4: f32, %y5: f32, %y6: f32, %y7: f32, %y8: f32, %y9: f32, %y10: f32, %y11: f32, %y12: f32, %y13: f32, %o: f32):
    %s0 = arith.addf %x, %y0 : f32
    %s1 = arith.addf %s0, %y1 : f32
    %s2 = arith.addf %s1, %y2 : f32
    %s3 = arith.addf %s2, %y3 : f32
    %s4 = arith.addf %s3, %y4 : f32
    %s5 = arith.addf %s4, %y5 : f32
    %s6 = arith.addf %s5, %y6 : f32
    %s7 = arith.addf %s6, %y7 : f32
    %s8 = arith.addf %s7, %y8 : f32
    %s9 = arith.addf %s8, %y9 : f32
    %s10 = arith.addf %s9, %y10 : f32
    %s11 = arith.addf %s10, %y11 : f32
    %s12 = arith.addf %s11, %y12 : f32
    %s13 = arith.addf %s12, %y13 : f32
    npu.yield %s13 : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// The boundary, outside: one operand more.
// CHECK-LABEL: func.func @operands
// CHECK: npu.matmul {{.*}} -> tensor<4x16xf32>
// CHECK: npu.generic
func.func @operands(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %b0: tensor<16xf32>, %b1: tensor<16xf32>, %b2: tensor<16xf32>, %b3: tensor<16xf32>, %b4: tensor<16xf32>, %b5: tensor<16xf32>, %b6: tensor<16xf32>, %b7: tensor<16xf32>, %b8: tensor<16xf32>, %b9: tensor<16xf32>, %b10: tensor<16xf32>, %b11: tensor<16xf32>, %b12: tensor<16xf32>, %b13: tensor<16xf32>, %b14: tensor<16xf32>, %e: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = npu.generic ins(%m, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %b10, %b11, %b12, %b13, %b14 : tensor<4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %y0: f32, %y1: f32, %y2: f32, %y3: f32, %y4: f32, %y5: f32, %y6: f32, %y7: f32, %y8: f32, %y9: f32, %y10: f32, %y11: f32, %y12: f32, %y13: f32, %y14: f32, %o: f32):
    %s0 = arith.addf %x, %y0 : f32
    %s1 = arith.addf %s0, %y1 : f32
    %s2 = arith.addf %s1, %y2 : f32
    %s3 = arith.addf %s2, %y3 : f32
    %s4 = arith.addf %s3, %y4 : f32
    %s5 = arith.addf %s4, %y5 : f32
    %s6 = arith.addf %s5, %y6 : f32
    %s7 = arith.addf %s6, %y7 : f32
    %s8 = arith.addf %s7, %y8 : f32
    %s9 = arith.addf %s8, %y9 : f32
    %s10 = arith.addf %s9, %y10 : f32
    %s11 = arith.addf %s10, %y11 : f32
    %s12 = arith.addf %s11, %y12 : f32
    %s13 = arith.addf %s12, %y13 : f32
    %s14 = arith.addf %s13, %y14 : f32
    npu.yield %s14 : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The boundary, inside: a body of 128 ops, as many as a microprogram of this target.
// CHECK-LABEL: func.func @longest
// CHECK: npu.matmul {{.*}} epilogue()
// CHECK-NOT: npu.generic
// CHECK: return
func.func @longest(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %e: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = npu.generic ins(%m : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %s0 = arith.addf %x, %x : f32
    %s1 = arith.addf %s0, %x : f32
    %s2 = arith.addf %s1, %x : f32
    %s3 = arith.addf %s2, %x : f32
    %s4 = arith.addf %s3, %x : f32
    %s5 = arith.addf %s4, %x : f32
    %s6 = arith.addf %s5, %x : f32
    %s7 = arith.addf %s6, %x : f32
    %s8 = arith.addf %s7, %x : f32
    %s9 = arith.addf %s8, %x : f32
    %s10 = arith.addf %s9, %x : f32
    %s11 = arith.addf %s10, %x : f32
    %s12 = arith.addf %s11, %x : f32
    %s13 = arith.addf %s12, %x : f32
    %s14 = arith.addf %s13, %x : f32
    %s15 = arith.addf %s14, %x : f32
    %s16 = arith.addf %s15, %x : f32
    %s17 = arith.addf %s16, %x : f32
    %s18 = arith.addf %s17, %x : f32
    %s19 = arith.addf %s18, %x : f32
    %s20 = arith.addf %s19, %x : f32
    %s21 = arith.addf %s20, %x : f32
    %s22 = arith.addf %s21, %x : f32
    %s23 = arith.addf %s22, %x : f32
    %s24 = arith.addf %s23, %x : f32
    %s25 = arith.addf %s24, %x : f32
    %s26 = arith.addf %s25, %x : f32
    %s27 = arith.addf %s26, %x : f32
    %s28 = arith.addf %s27, %x : f32
    %s29 = arith.addf %s28, %x : f32
    %s30 = arith.addf %s29, %x : f32
    %s31 = arith.addf %s30, %x : f32
    %s32 = arith.addf %s31, %x : f32
    %s33 = arith.addf %s32, %x : f32
    %s34 = arith.addf %s33, %x : f32
    %s35 = arith.addf %s34, %x : f32
    %s36 = arith.addf %s35, %x : f32
    %s37 = arith.addf %s36, %x : f32
    %s38 = arith.addf %s37, %x : f32
    %s39 = arith.addf %s38, %x : f32
    %s40 = arith.addf %s39, %x : f32
    %s41 = arith.addf %s40, %x : f32
    %s42 = arith.addf %s41, %x : f32
    %s43 = arith.addf %s42, %x : f32
    %s44 = arith.addf %s43, %x : f32
    %s45 = arith.addf %s44, %x : f32
    %s46 = arith.addf %s45, %x : f32
    %s47 = arith.addf %s46, %x : f32
    %s48 = arith.addf %s47, %x : f32
    %s49 = arith.addf %s48, %x : f32
    %s50 = arith.addf %s49, %x : f32
    %s51 = arith.addf %s50, %x : f32
    %s52 = arith.addf %s51, %x : f32
    %s53 = arith.addf %s52, %x : f32
    %s54 = arith.addf %s53, %x : f32
    %s55 = arith.addf %s54, %x : f32
    %s56 = arith.addf %s55, %x : f32
    %s57 = arith.addf %s56, %x : f32
    %s58 = arith.addf %s57, %x : f32
    %s59 = arith.addf %s58, %x : f32
    %s60 = arith.addf %s59, %x : f32
    %s61 = arith.addf %s60, %x : f32
    %s62 = arith.addf %s61, %x : f32
    %s63 = arith.addf %s62, %x : f32
    %s64 = arith.addf %s63, %x : f32
    %s65 = arith.addf %s64, %x : f32
    %s66 = arith.addf %s65, %x : f32
    %s67 = arith.addf %s66, %x : f32
    %s68 = arith.addf %s67, %x : f32
    %s69 = arith.addf %s68, %x : f32
    %s70 = arith.addf %s69, %x : f32
    %s71 = arith.addf %s70, %x : f32
    %s72 = arith.addf %s71, %x : f32
    %s73 = arith.addf %s72, %x : f32
    %s74 = arith.addf %s73, %x : f32
    %s75 = arith.addf %s74, %x : f32
    %s76 = arith.addf %s75, %x : f32
    %s77 = arith.addf %s76, %x : f32
    %s78 = arith.addf %s77, %x : f32
    %s79 = arith.addf %s78, %x : f32
    %s80 = arith.addf %s79, %x : f32
    %s81 = arith.addf %s80, %x : f32
    %s82 = arith.addf %s81, %x : f32
    %s83 = arith.addf %s82, %x : f32
    %s84 = arith.addf %s83, %x : f32
    %s85 = arith.addf %s84, %x : f32
    %s86 = arith.addf %s85, %x : f32
    %s87 = arith.addf %s86, %x : f32
    %s88 = arith.addf %s87, %x : f32
    %s89 = arith.addf %s88, %x : f32
    %s90 = arith.addf %s89, %x : f32
    %s91 = arith.addf %s90, %x : f32
    %s92 = arith.addf %s91, %x : f32
    %s93 = arith.addf %s92, %x : f32
    %s94 = arith.addf %s93, %x : f32
    %s95 = arith.addf %s94, %x : f32
    %s96 = arith.addf %s95, %x : f32
    %s97 = arith.addf %s96, %x : f32
    %s98 = arith.addf %s97, %x : f32
    %s99 = arith.addf %s98, %x : f32
    %s100 = arith.addf %s99, %x : f32
    %s101 = arith.addf %s100, %x : f32
    %s102 = arith.addf %s101, %x : f32
    %s103 = arith.addf %s102, %x : f32
    %s104 = arith.addf %s103, %x : f32
    %s105 = arith.addf %s104, %x : f32
    %s106 = arith.addf %s105, %x : f32
    %s107 = arith.addf %s106, %x : f32
    %s108 = arith.addf %s107, %x : f32
    %s109 = arith.addf %s108, %x : f32
    %s110 = arith.addf %s109, %x : f32
    %s111 = arith.addf %s110, %x : f32
    %s112 = arith.addf %s111, %x : f32
    %s113 = arith.addf %s112, %x : f32
    %s114 = arith.addf %s113, %x : f32
    %s115 = arith.addf %s114, %x : f32
    %s116 = arith.addf %s115, %x : f32
    %s117 = arith.addf %s116, %x : f32
    %s118 = arith.addf %s117, %x : f32
    %s119 = arith.addf %s118, %x : f32
    %s120 = arith.addf %s119, %x : f32
    %s121 = arith.addf %s120, %x : f32
    %s122 = arith.addf %s121, %x : f32
    %s123 = arith.addf %s122, %x : f32
    %s124 = arith.addf %s123, %x : f32
    %s125 = arith.addf %s124, %x : f32
    %s126 = arith.addf %s125, %x : f32
    npu.yield %s126 : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The boundary, outside: one op more.
// CHECK-LABEL: func.func @longer
// CHECK: npu.matmul {{.*}} -> tensor<4x16xf32>
// CHECK: npu.generic
func.func @longer(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %e: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = npu.generic ins(%m : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %s0 = arith.addf %x, %x : f32
    %s1 = arith.addf %s0, %x : f32
    %s2 = arith.addf %s1, %x : f32
    %s3 = arith.addf %s2, %x : f32
    %s4 = arith.addf %s3, %x : f32
    %s5 = arith.addf %s4, %x : f32
    %s6 = arith.addf %s5, %x : f32
    %s7 = arith.addf %s6, %x : f32
    %s8 = arith.addf %s7, %x : f32
    %s9 = arith.addf %s8, %x : f32
    %s10 = arith.addf %s9, %x : f32
    %s11 = arith.addf %s10, %x : f32
    %s12 = arith.addf %s11, %x : f32
    %s13 = arith.addf %s12, %x : f32
    %s14 = arith.addf %s13, %x : f32
    %s15 = arith.addf %s14, %x : f32
    %s16 = arith.addf %s15, %x : f32
    %s17 = arith.addf %s16, %x : f32
    %s18 = arith.addf %s17, %x : f32
    %s19 = arith.addf %s18, %x : f32
    %s20 = arith.addf %s19, %x : f32
    %s21 = arith.addf %s20, %x : f32
    %s22 = arith.addf %s21, %x : f32
    %s23 = arith.addf %s22, %x : f32
    %s24 = arith.addf %s23, %x : f32
    %s25 = arith.addf %s24, %x : f32
    %s26 = arith.addf %s25, %x : f32
    %s27 = arith.addf %s26, %x : f32
    %s28 = arith.addf %s27, %x : f32
    %s29 = arith.addf %s28, %x : f32
    %s30 = arith.addf %s29, %x : f32
    %s31 = arith.addf %s30, %x : f32
    %s32 = arith.addf %s31, %x : f32
    %s33 = arith.addf %s32, %x : f32
    %s34 = arith.addf %s33, %x : f32
    %s35 = arith.addf %s34, %x : f32
    %s36 = arith.addf %s35, %x : f32
    %s37 = arith.addf %s36, %x : f32
    %s38 = arith.addf %s37, %x : f32
    %s39 = arith.addf %s38, %x : f32
    %s40 = arith.addf %s39, %x : f32
    %s41 = arith.addf %s40, %x : f32
    %s42 = arith.addf %s41, %x : f32
    %s43 = arith.addf %s42, %x : f32
    %s44 = arith.addf %s43, %x : f32
    %s45 = arith.addf %s44, %x : f32
    %s46 = arith.addf %s45, %x : f32
    %s47 = arith.addf %s46, %x : f32
    %s48 = arith.addf %s47, %x : f32
    %s49 = arith.addf %s48, %x : f32
    %s50 = arith.addf %s49, %x : f32
    %s51 = arith.addf %s50, %x : f32
    %s52 = arith.addf %s51, %x : f32
    %s53 = arith.addf %s52, %x : f32
    %s54 = arith.addf %s53, %x : f32
    %s55 = arith.addf %s54, %x : f32
    %s56 = arith.addf %s55, %x : f32
    %s57 = arith.addf %s56, %x : f32
    %s58 = arith.addf %s57, %x : f32
    %s59 = arith.addf %s58, %x : f32
    %s60 = arith.addf %s59, %x : f32
    %s61 = arith.addf %s60, %x : f32
    %s62 = arith.addf %s61, %x : f32
    %s63 = arith.addf %s62, %x : f32
    %s64 = arith.addf %s63, %x : f32
    %s65 = arith.addf %s64, %x : f32
    %s66 = arith.addf %s65, %x : f32
    %s67 = arith.addf %s66, %x : f32
    %s68 = arith.addf %s67, %x : f32
    %s69 = arith.addf %s68, %x : f32
    %s70 = arith.addf %s69, %x : f32
    %s71 = arith.addf %s70, %x : f32
    %s72 = arith.addf %s71, %x : f32
    %s73 = arith.addf %s72, %x : f32
    %s74 = arith.addf %s73, %x : f32
    %s75 = arith.addf %s74, %x : f32
    %s76 = arith.addf %s75, %x : f32
    %s77 = arith.addf %s76, %x : f32
    %s78 = arith.addf %s77, %x : f32
    %s79 = arith.addf %s78, %x : f32
    %s80 = arith.addf %s79, %x : f32
    %s81 = arith.addf %s80, %x : f32
    %s82 = arith.addf %s81, %x : f32
    %s83 = arith.addf %s82, %x : f32
    %s84 = arith.addf %s83, %x : f32
    %s85 = arith.addf %s84, %x : f32
    %s86 = arith.addf %s85, %x : f32
    %s87 = arith.addf %s86, %x : f32
    %s88 = arith.addf %s87, %x : f32
    %s89 = arith.addf %s88, %x : f32
    %s90 = arith.addf %s89, %x : f32
    %s91 = arith.addf %s90, %x : f32
    %s92 = arith.addf %s91, %x : f32
    %s93 = arith.addf %s92, %x : f32
    %s94 = arith.addf %s93, %x : f32
    %s95 = arith.addf %s94, %x : f32
    %s96 = arith.addf %s95, %x : f32
    %s97 = arith.addf %s96, %x : f32
    %s98 = arith.addf %s97, %x : f32
    %s99 = arith.addf %s98, %x : f32
    %s100 = arith.addf %s99, %x : f32
    %s101 = arith.addf %s100, %x : f32
    %s102 = arith.addf %s101, %x : f32
    %s103 = arith.addf %s102, %x : f32
    %s104 = arith.addf %s103, %x : f32
    %s105 = arith.addf %s104, %x : f32
    %s106 = arith.addf %s105, %x : f32
    %s107 = arith.addf %s106, %x : f32
    %s108 = arith.addf %s107, %x : f32
    %s109 = arith.addf %s108, %x : f32
    %s110 = arith.addf %s109, %x : f32
    %s111 = arith.addf %s110, %x : f32
    %s112 = arith.addf %s111, %x : f32
    %s113 = arith.addf %s112, %x : f32
    %s114 = arith.addf %s113, %x : f32
    %s115 = arith.addf %s114, %x : f32
    %s116 = arith.addf %s115, %x : f32
    %s117 = arith.addf %s116, %x : f32
    %s118 = arith.addf %s117, %x : f32
    %s119 = arith.addf %s118, %x : f32
    %s120 = arith.addf %s119, %x : f32
    %s121 = arith.addf %s120, %x : f32
    %s122 = arith.addf %s121, %x : f32
    %s123 = arith.addf %s122, %x : f32
    %s124 = arith.addf %s123, %x : f32
    %s125 = arith.addf %s124, %x : f32
    %s126 = arith.addf %s125, %x : f32
    %s127 = arith.addf %s126, %x : f32
    npu.yield %s127 : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
