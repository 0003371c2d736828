// RUN: npu-opt %s --convert-npu-to-npuisa | filecheck %s --check-prefix=IR
// RUN: npu-opt %s --convert-npu-to-npuisa -o %t.first.mlir
// RUN: npu-translate %t.first.mlir --npuisa-to-binary -o %t.npuprog
// RUN: npu-translate %t.npuprog --binary-to-npuisa -o %t.mlir
// RUN: npu-translate %t.mlir --npuisa-to-asm -o %t.s
// RUN: filecheck %s --check-prefix=ASM --input-file=%t.s
// RUN: npu-translate %t.s --asm-to-npuisa -o %t.again.mlir
// RUN: npu-translate %t.again.mlir --npuisa-to-binary -o %t.again
// RUN: cmp %t.npuprog %t.again

// Regions have the names of the model: any text. Names that appear again get a number that no other region has, and so
// does the arena; an argument without a name is called after its place.
// IR: npuisa.program @names regions [
// IR-NEXT: <input, "/encoder/x:0", 64 bytes, f32, [16]>,
// IR-NEXT: <input, "say {{.+}}", 64 bytes, f32, [16]>,
// IR-NEXT: <input, "w", 64 bytes, f32, [16]>,
// IR-NEXT: <input, "w.1", 64 bytes, f32, [16]>,
// IR-NEXT: <input, "w.2", 64 bytes, f32, [16]>,
// IR-NEXT: <input, "arena", 64 bytes, f32, [16]>,
// IR-NEXT: <output, "arg6", 64 bytes, f32, [16]>,
// IR-NEXT: <arena, "arena.1", 64 bytes, b8, [64]>
// IR-NEXT: ]
// ASM: region 0 input "/encoder/x:0" bytes=64
// ASM-NEXT: region 1 input "say {{.*}}x{{.*}}" bytes=64
// ASM-NEXT: region 2 input "w" bytes=64
npu.program @names(
    %0: memref<16xf32> {npu.role = "input", npu.name = "/encoder/x:0"},
    %1: memref<16xf32> {npu.role = "input", npu.name = "say \22x\22 \\\0A"},
    %2: memref<16xf32> {npu.role = "input", npu.name = "w"},
    %3: memref<16xf32> {npu.role = "input", npu.name = "w.1"},
    %4: memref<16xf32> {npu.role = "input", npu.name = "w"},
    %5: memref<16xf32> {npu.role = "input", npu.name = "arena"},
    %6: memref<16xf32> {npu.role = "output"}) {
  %a = npu.buffer offset(0) : memref<16xf32>
  npu.return
}
