// A damaged file is refused with the byte and the reason, and no output is left behind.
// RUN: npu-translate %s --npuisa-to-binary -o %t.npuprog
// RUN: python -c "import sys; d = bytearray(open(sys.argv[1], 'rb').read()); d[len(d) // 2] ^= 1; open(sys.argv[2], 'wb').write(d)" %t.npuprog %t.damaged
// RUN: not npu-translate %t.damaged --binary-to-npuisa -o %t.out.mlir 2>&1 | filecheck %s --check-prefix=DAMAGED
// RUN: python -c "import os, sys; sys.exit(os.path.exists(sys.argv[1]))" %t.out.mlir
// RUN: not npu-translate %s --binary-to-npuisa 2>&1 | filecheck %s --check-prefix=FOREIGN
// RUN: not npu-translate %s --asm-to-npuisa 2>&1 | filecheck %s --check-prefix=ASM
// RUN: not npu-translate %s --npuisa-to-binary --program=other 2>&1 | filecheck %s --check-prefix=NAME

// DAMAGED: error: byte {{[0-9]+}}: {{.+}}
// FOREIGN: error: byte 0: {{.+}}
// ASM: error: line {{[0-9]+}}: {{.+}}
// NAME: error: expected one 'npuisa.program' called 'other', but found 0
npuisa.program @main regions [<input, "x", 64 bytes, f32, [16]>] {
  npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [4] element_bytes = 4
  npuisa.halt
}
