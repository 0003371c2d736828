// RUN: npu-opt %s --split-input-file --verify-diagnostics

// Constraints that only the generic form can break, and faults that the parser finds.

npuisa.program @micro_count regions [] {
  // expected-error @below {{expected 6 numbers an operation in 'code', but found 3 in all}}
  "npuisa.micro"() <{sym_name = "m", num_inputs = 0 : i64, code = array<i64: 1, 2, 3>, outputs = array<i64>}> : () -> ()
  npuisa.halt
}

// -----

npuisa.program @micro_code regions [] {
  // expected-error @below {{expected codes of at most 255 and registers of at most 65535 in 'code', but found 256}}
  "npuisa.micro"() <{sym_name = "m", num_inputs = 1 : i64, code = array<i64: 256, 10, 0, 0, 0, 0>, outputs = array<i64: 0>}> : () -> ()
  npuisa.halt
}

// -----

npuisa.program @micro_register regions [] {
  // expected-error @below {{expected codes of at most 255 and registers of at most 65535 in 'code', but found 65536}}
  "npuisa.micro"() <{sym_name = "m", num_inputs = 1 : i64, code = array<i64: 1, 10, 65536, 0, 0, 0>, outputs = array<i64: 0>}> : () -> ()
  npuisa.halt
}

// -----

npuisa.program @micro_outputs regions [] {
  // expected-error @below {{expected registers of at most 65535 in 'outputs', but found -1}}
  "npuisa.micro"() <{sym_name = "m", num_inputs = 1 : i64, code = array<i64: 1, 10, 0, 0, 0, 0>, outputs = array<i64: -1>}> : () -> ()
  npuisa.halt
}

// -----

npuisa.program @register regions [] {
  npuisa.micro @m inputs 1 {
    r0 = input f32 0
    // expected-error @below {{expected a register 'r0' to 'r65535'}}
    r1 = addf f32 r0, r70000
  } outputs [r1]
  npuisa.halt
}

// -----

npuisa.program @predicate regions [] {
  npuisa.micro @m inputs 1 {
    r0 = input f32 0
    // expected-error @below {{'slt' is not a predicate of 'cmpf'}}
    r1 = cmpf b8 slt r0, r0
  } outputs [r1]
  npuisa.halt
}

// -----

npuisa.program @immediate regions [] {
  npuisa.micro @m inputs 1 {
    // expected-error @below {{expected an immediate of at most 64 bits}}
    r0 = const f32 0x10000000000000000
  } outputs [r0]
  npuisa.halt
}

// -----

npuisa.program @immediate_word regions [] {
  npuisa.micro @m inputs 1 {
    // expected-error @below {{expected an integer}}
    r0 = const f32 one
  } outputs [r0]
  npuisa.halt
}

// -----

npuisa.program @loop_terminator regions [] {
  // expected-error @below {{expected a body that ends in 'npuisa.yield'}}
  "npuisa.loop"() <{count = 2 : i64}> ({
    "npuisa.fence"() : () -> ()
  }) : () -> ()
  npuisa.halt
}

// -----

npuisa.program @loop_halt regions [] {
  npuisa.loop count(2) {
    // expected-error @below {{expected only at the end of the program}}
    npuisa.halt
  }
  npuisa.halt
}
