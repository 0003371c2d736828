// Text to file to text is the same to the letter, names of source nodes included; so is the way through assembly.
// RUN: npu-translate %s --npuisa-to-binary -o %t.npuprog
// RUN: npu-translate %t.npuprog --binary-to-npuisa --mlir-print-debuginfo -o %t.first.mlir
// RUN: npu-translate %t.first.mlir --npuisa-to-binary -o %t.second.npuprog
// RUN: cmp %t.npuprog %t.second.npuprog
// RUN: npu-translate %t.second.npuprog --binary-to-npuisa --mlir-print-debuginfo -o %t.second.mlir
// RUN: diff %t.first.mlir %t.second.mlir
// RUN: npu-translate %s --npuisa-to-asm -o %t.s
// RUN: npu-translate %t.s --asm-to-npuisa --mlir-print-debuginfo -o %t.third.mlir
// RUN: diff %t.first.mlir %t.third.mlir
// RUN: filecheck %s --input-file=%t.first.mlir
// RUN: filecheck %s --check-prefix=ASM --input-file=%t.s

// CHECK: = #npu.target<"mobile"
// CHECK: npuisa.program @main regions [
// CHECK-NEXT: <input, "x", 64 bytes, f32, [16]>,
// CHECK-NEXT: <constant, "w", 64 bytes, f32, [16], dense<[0.000000e+00, 1.000000e+00,
// CHECK-NEXT: <constant, "large", 512 bytes, i32, [128], dense_resource<large> : tensor<128xi32>>,
// CHECK-NEXT: <output, "y", 64 bytes, f32, [16]>
// CHECK-NEXT: ] {
// CHECK-NEXT: npuisa.micro @relu inputs 1 {
// CHECK: npuisa.loop count(4) {
// CHECK-NEXT: npuisa.dma_ld dst = sram[0, 16 * l0] {{.*}} signals [0:1] loc(#[[RELU:.*]])
// CHECK: npuisa.v_exec micro = @relu shape = [4] reduction_mask = 0 operands = (sram[0, 16 * l0] f32 [4], sram[64, 16 * l0] f32 [4]) waits [0:1] loc(#[[RELU]])
// CHECK: #[[RELU]] = loc("relu")
// ASM: program "main"
// ASM: region 3 output "y" bytes=64 dtype=f32 shape=[16]
// ASM: source 0 "relu"
// ASM: loop_begin count=4 @0 ; relu
// ASM-NEXT: dma_ld dst=sram[0, 16*i0]
npuisa.program @main regions [
  <input, "x", 64 bytes, f32, [16]>,
  <constant, "w", 64 bytes, f32, [16], dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>>,
  <constant, "large", 512 bytes, i32, [128], dense<7> : tensor<128xi32>>,
  <output, "y", 64 bytes, f32, [16]>
] {
  npuisa.micro @relu inputs 1 {
    r0 = input f32 0
    r1 = const f32 0x0
    r2 = maximumf f32 r0, r1
  } outputs [r2]
  npuisa.loop count(4) {
    npuisa.dma_ld dst = sram[0, 16 * l0] dst_strides = [4] src = dram 0[0, 16 * l0] src_strides = [4] shape = [4] element_bytes = 4 signals [0:1] loc("relu")
    npuisa.v_exec micro = @relu shape = [4] reduction_mask = 0 operands = (sram[0, 16 * l0] f32 [4], sram[64, 16 * l0] f32 [4]) waits [0:1] loc("relu")
  } loc("relu")
  npuisa.halt
}
