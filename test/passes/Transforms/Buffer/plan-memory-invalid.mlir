// RUN: npu-opt %s --split-input-file --npu-plan-memory --verify-diagnostics

// Two buffers that are alive together and do not fit: the error names program, source nodes, bytes, and what would help.
// expected-error @below {{program 'large' needs 10485760 bytes of sram, but target 'mobile' has 8388608, at source node 'conv1'}}
// expected-note @below {{smaller tiles that save 2097152 bytes here, or a target with sram_bytes of at least 10485760, would fit}}
npu.program @large(%x: memref<1310720xf32> {npu.role = "input"}, %y: memref<1310720xf32> {npu.role = "output"}) {
  // expected-note @below {{5242880 bytes are this buffer, 'memref<1310720xf32, #npu.space<sram>>'}}
  %a = npu.buffer : memref<1310720xf32, #npu.space<sram>>
  // expected-note @below {{5242880 bytes are this buffer, 'memref<1310720xf32, #npu.space<sram>>'}}
  %b = npu.buffer : memref<1310720xf32, #npu.space<sram>>
  npu.load ins(%x : memref<1310720xf32>) outs(%a : memref<1310720xf32, #npu.space<sram>>) loc("conv1")
  npu.copy ins(%a : memref<1310720xf32, #npu.space<sram>>) outs(%b : memref<1310720xf32, #npu.space<sram>>) loc("conv1")
  npu.store ins(%b : memref<1310720xf32, #npu.space<sram>>) outs(%y : memref<1310720xf32>) loc("conv1")
  npu.return
}

// -----

// Storage must have been made buffers and rings.
npu.program @alloc(%x: memref<8xf32> {npu.role = "input"}) {
  // expected-error @below {{expected storage to be 'npu.buffer' or 'npu.ring', but found 'memref.alloc': npu-multi-buffer runs first}}
  %a = memref.alloc() : memref<8xf32, #npu.space<sram>>
  npu.load ins(%x : memref<8xf32>) outs(%a : memref<8xf32, #npu.space<sram>>)
  npu.return
}

// -----

// The boundary: one element more than the memory has is one row of 64 bytes more.
// expected-error @below {{program 'full' needs 8388672 bytes of sram, but target 'mobile' has 8388608}}
// expected-note @below {{smaller tiles that save 64 bytes here, or a target with sram_bytes of at least 8388672, would fit}}
npu.program @full(%x: memref<1048576xf32> {npu.role = "input"}, %z: memref<1xf32> {npu.role = "input"}, %y: memref<1048576xf32> {npu.role = "output"}) {
  // expected-note @below {{4194304 bytes are this buffer}}
  %a = npu.buffer : memref<1048576xf32, #npu.space<sram>>
  // expected-note @below {{4194304 bytes are this buffer}}
  %b = npu.buffer : memref<1048576xf32, #npu.space<sram>>
  // expected-note @below {{4 bytes are this buffer}}
  %c = npu.buffer : memref<1xf32, #npu.space<sram>>
  npu.load ins(%z : memref<1xf32>) outs(%c : memref<1xf32, #npu.space<sram>>)
  npu.load ins(%x : memref<1048576xf32>) outs(%a : memref<1048576xf32, #npu.space<sram>>)
  npu.copy ins(%a : memref<1048576xf32, #npu.space<sram>>) outs(%b : memref<1048576xf32, #npu.space<sram>>)
  npu.store ins(%b : memref<1048576xf32, #npu.space<sram>>) outs(%y : memref<1048576xf32>)
  npu.copy ins(%c : memref<1xf32, #npu.space<sram>>) outs(%c : memref<1xf32, #npu.space<sram>>)
  npu.return
}
