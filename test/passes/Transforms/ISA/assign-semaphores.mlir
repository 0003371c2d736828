// RUN: npu-opt %s --npuisa-assign-semaphores | filecheck %s

// A dependence inside of one block is one signal and one wait; one inside of a queue needs none.
// CHECK-LABEL: npuisa.program @forward
// CHECK: npuisa.sync on ld signals [0:1]
// CHECK-NEXT: npuisa.mm_clear acc = acc[0] shape = [1] strides = [4] waits [0:1]
// CHECK-NEXT: npuisa.mm_clear acc = acc[4] shape = [1] strides = [4]{{$}}
// CHECK-NEXT: npuisa.halt
npuisa.program @forward regions [] {
  %t = npuisa.sync on ld -> !npuisa.token
  %u = npuisa.mm_clear acc = acc[0] shape = [1] strides = [4] after(%t) -> !npuisa.token
  npuisa.mm_clear acc = acc[4] shape = [1] strides = [4] after(%u)
  npuisa.halt
}

// The later producer and the earlier consumer imply the other dependences of the same queues; the sync that is left
// without work goes.
// CHECK-LABEL: npuisa.program @implied
// CHECK-NEXT: npuisa.mark id = 0
// CHECK-NEXT: npuisa.sync on ld signals [0:1]
// CHECK-NEXT: npuisa.mark id = 1
// CHECK-NEXT: npuisa.sync on mm waits [0:1]
// CHECK-NEXT: npuisa.mark id = 2
// CHECK-NEXT: npuisa.halt
npuisa.program @implied regions [] {
  %a = npuisa.sync on ld -> !npuisa.token
  npuisa.mark id = 0
  %b = npuisa.sync on ld -> !npuisa.token
  npuisa.mark id = 1
  npuisa.sync on mm after(%a, %b)
  npuisa.mark id = 2
  npuisa.sync on mm after(%a)
  npuisa.halt
}

// A loop-carried dependence at distance 2 has two credits before the loop and takes them back after it.
// CHECK-LABEL: npuisa.program @carried
// CHECK-NEXT: npuisa.sync on mm signals [0:2]
// CHECK-NEXT: npuisa.loop count(8) {
// CHECK-NEXT: npuisa.sync on ld waits [0:1] signals [1:1]
// CHECK-NEXT: npuisa.sync on mm waits [1:1] signals [0:1]
// CHECK-NEXT: }
// CHECK-NEXT: npuisa.sync on ld waits [0:2]
// CHECK-NEXT: npuisa.halt
npuisa.program @carried regions [] {
  %r = npuisa.ready
  %l:2 = npuisa.loop count(8) carries(%a = %r, %b = %r) {
    %t = npuisa.sync on ld after(%a) -> !npuisa.token
    %u = npuisa.sync on mm after(%t) -> !npuisa.token
    npuisa.yield %b, %u
  }
  npuisa.halt
}

// The result of a loop is waited for by way of a sync behind it. What stands before a loop is waited for in front of it,
// not in each iteration.
// CHECK-LABEL: npuisa.program @around
// CHECK-NEXT: npuisa.sync on ld signals [0:1]
// CHECK-NEXT: npuisa.sync on mm waits [0:1]
// CHECK-NEXT: npuisa.loop count(8) {
// CHECK-NEXT: npuisa.mm_clear acc = acc[0] shape = [1] strides = [4]{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: npuisa.sync on mm signals [1:1]
// CHECK-NEXT: npuisa.sync on dr waits [1:1]
// CHECK-NEXT: npuisa.halt
npuisa.program @around regions [] {
  %w = npuisa.sync on ld -> !npuisa.token
  %r = npuisa.ready
  %l = npuisa.loop count(8) carries(%a = %r) {
    %t = npuisa.mm_clear acc = acc[0] shape = [1] strides = [4] after(%w) -> !npuisa.token
    npuisa.yield %t
  }
  npuisa.sync on dr after(%l)
  npuisa.halt
}

// A chain that starts with a token of before the loop: the consumer's queue waits for it in front of the loop.
// CHECK-LABEL: npuisa.program @started
// CHECK-NEXT: npuisa.sync on dr signals [1:1]
// CHECK-NEXT: npuisa.sync on ld waits [1:1]
// CHECK-NEXT: npuisa.sync on mm signals [0:1]
// CHECK-NEXT: npuisa.loop count(8) {
// CHECK-NEXT: npuisa.sync on ld waits [0:1]
// CHECK-NEXT: npuisa.sync on mm signals [0:1]
// CHECK-NEXT: }
// CHECK-NEXT: npuisa.sync on ld waits [0:1]
npuisa.program @started regions [] {
  %w = npuisa.sync on dr -> !npuisa.token
  %l = npuisa.loop count(8) carries(%a = %w) {
    npuisa.sync on ld after(%a)
    %t = npuisa.sync on mm -> !npuisa.token
    npuisa.yield %t
  }
  npuisa.halt
}

// An instruction holds two waits and two signals; more are syncs before and after it.
// CHECK-LABEL: npuisa.program @many
// CHECK-NEXT: npuisa.sync on ld signals [0:1, 3:1]
// CHECK-NEXT: npuisa.sync on ld signals [4:1]
// CHECK-NEXT: npuisa.sync on mm signals [1:1]
// CHECK-NEXT: npuisa.sync on dr signals [2:1]
// CHECK-NEXT: npuisa.mark id = 0
// CHECK-NEXT: npuisa.sync on ve waits [2:1]
// CHECK-NEXT: npuisa.sync on ve waits [0:1, 1:1]
// CHECK-NEXT: npuisa.mark id = 1
npuisa.program @many regions [] {
  %a = npuisa.sync on ld -> !npuisa.token
  %b = npuisa.sync on mm -> !npuisa.token
  %c = npuisa.sync on dr -> !npuisa.token
  npuisa.mark id = 0
  npuisa.sync on ve after(%a, %b, %c)
  npuisa.mark id = 1
  npuisa.sync on st after(%a)
  npuisa.sync on dr after(%a)
  npuisa.halt
}

// Declines: a program without tokens keeps its semaphores.
// CHECK-LABEL: npuisa.program @assigned
// CHECK-NEXT: npuisa.sync on ld signals [7:1]
// CHECK-NEXT: npuisa.sync on mm waits [7:1]
// CHECK-NEXT: npuisa.halt
npuisa.program @assigned regions [] {
  npuisa.sync on ld signals [7:1]
  npuisa.sync on mm waits [7:1]
  npuisa.halt
}
