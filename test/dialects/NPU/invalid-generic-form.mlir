// RUN: npu-opt %s --split-input-file --verify-diagnostics

// Constraints that only the generic form can break, and those of the dialect's attributes.

// expected-error @below {{expected 'npu.target' on a module, but found it on 'func.func'}}
func.func @target_elsewhere() attributes {npu.target = 1 : i64} {
  return
}

// -----

func.func @generic_extents(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected extents of at least 0, but found -4}}
  %0 = "npu.generic"(%a, %b) <{extents = array<i64: -4>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: f32, %y: f32):
    "npu.yield"(%x) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @generic_yield(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected a region that ends in 'npu.yield'}}
  %0 = "npu.generic"(%a, %b) <{extents = array<i64: 4>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: f32, %y: f32):
    "linalg.yield"(%x) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @below {{expected no results, but found 1: a program writes to its output arguments}}
"npu.program"() <{function_type = () -> i32, sym_name = "program_results"}> ({
  "npu.end"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{expected a body}}
"npu.program"() <{function_type = () -> (), sym_name = "program_body"}> ({
}) : () -> ()
