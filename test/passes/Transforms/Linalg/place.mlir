// RUN: npu-opt %s --npu-place | filecheck %s

// Acts: what the vector engine lacks goes to the host, with the reason.
// CHECK-LABEL: func.func @host
// CHECK: npu.host_region reason("linalg.generic: the vector engine has no 'math.acos'") {
// CHECK: linalg.generic
// CHECK: npu.yield
func.func @host(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = math.acos %in : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Declines: what the device runs stays outside of host regions.
// CHECK-LABEL: func.func @device
// CHECK-NOT: npu.host_region
// CHECK: return
func.func @device(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %m : tensor<4x16xf32>
}

// Acts: neighbours share a region, with a reshape between them.
// CHECK-LABEL: func.func @merged
// CHECK: npu.host_region reason("linalg.add: element type f64 is none of target 'mobile' ({{.*}})") {
// CHECK: linalg.add
// CHECK: tensor.collapse_shape
// CHECK: linalg.add
// CHECK: npu.yield %{{.*}} : tensor<4xf64>
// CHECK-NOT: npu.host_region
// CHECK: return
func.func @merged(%x: tensor<2x2xf64>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<2x2xf64>
  %a = linalg.add ins(%x, %x : tensor<2x2xf64>, tensor<2x2xf64>) outs(%e : tensor<2x2xf64>) -> tensor<2x2xf64>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<2x2xf64> into tensor<4xf64>
  %e1 = tensor.empty() : tensor<4xf64>
  %b = linalg.add ins(%c, %c : tensor<4xf64>, tensor<4xf64>) outs(%e1 : tensor<4xf64>) -> tensor<4xf64>
  return %b : tensor<4xf64>
}

// Boundary: a border whose value is known only at run time.
// CHECK-LABEL: func.func @pad
// CHECK: npu.host_region reason("tensor.pad: the padding value is not one constant")
func.func @pad(%x: tensor<4xf32>, %v: f32) -> tensor<6xf32> {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

// Acts: a device op between two of the host that needs the one and feeds the other parts them.
// CHECK-LABEL: func.func @parted
// CHECK: npu.host_region
// CHECK: math.acos
// CHECK: npu.yield
// CHECK: linalg.exp
// CHECK: npu.host_region
// CHECK: math.asin
func.func @parted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.acos %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.asin %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// Boundary: the same border with a constant stays on the device.
// CHECK-LABEL: func.func @constant_pad
// CHECK-NOT: npu.host_region
// CHECK: return
func.func @constant_pad(%x: tensor<4xf32>) -> tensor<6xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}
