// RUN: npu-opt %s --split-input-file --npuisa-assign-semaphores --verify-diagnostics

// 255 iterations in flight are as many as a semaphore counts.
npuisa.program @most_credits regions [] {
  %r = npuisa.ready
  %l:255 = npuisa.loop count(1000) carries(%a0 = %r, %a1 = %r, %a2 = %r, %a3 = %r, %a4 = %r, %a5 = %r, %a6 = %r, %a7 = %r, %a8 = %r, %a9 = %r, %a10 = %r, %a11 = %r, %a12 = %r, %a13 = %r, %a14 = %r, %a15 = %r, %a16 = %r, %a17 = %r, %a18 = %r, %a19 = %r, %a20 = %r, %a21 = %r, %a22 = %r, %a23 = %r, %a24 = %r, %a25 = %r, %a26 = %r, %a27 = %r, %a28 = %r, %a29 = %r, %a30 = %r, %a31 = %r, %a32 = %r, %a33 = %r, %a34 = %r, %a35 = %r, %a36 = %r, %a37 = %r, %a38 = %r, %a39 = %r, %a40 = %r, %a41 = %r, %a42 = %r, %a43 = %r, %a44 = %r, %a45 = %r, %a46 = %r, %a47 = %r, %a48 = %r, %a49 = %r, %a50 = %r, %a51 = %r, %a52 = %r, %a53 = %r, %a54 = %r, %a55 = %r, %a56 = %r, %a57 = %r, %a58 = %r, %a59 = %r, %a60 = %r, %a61 = %r, %a62 = %r, %a63 = %r, %a64 = %r, %a65 = %r, %a66 = %r, %a67 = %r, %a68 = %r, %a69 = %r, %a70 = %r, %a71 = %r, %a72 = %r, %a73 = %r, %a74 = %r, %a75 = %r, %a76 = %r, %a77 = %r, %a78 = %r, %a79 = %r, %a80 = %r, %a81 = %r, %a82 = %r, %a83 = %r, %a84 = %r, %a85 = %r, %a86 = %r, %a87 = %r, %a88 = %r, %a89 = %r, %a90 = %r, %a91 = %r, %a92 = %r, %a93 = %r, %a94 = %r, %a95 = %r, %a96 = %r, %a97 = %r, %a98 = %r, %a99 = %r, %a100 = %r, %a101 = %r, %a102 = %r, %a103 = %r, %a104 = %r, %a105 = %r, %a106 = %r, %a107 = %r, %a108 = %r, %a109 = %r, %a110 = %r, %a111 = %r, %a112 = %r, %a113 = %r, %a114 = %r, %a115 = %r, %a116 = %r, %a117 = %r, %a118 = %r, %a119 = %r, %a120 = %r, %a121 = %r, %a122 = %r, %a123 = %r, %a124 = %r, %a125 = %r, %a126 = %r, %a127 = %r, %a128 = %r, %a129 = %r, %a130 = %r, %a131 = %r, %a132 = %r, %a133 = %r, %a134 = %r, %a135 = %r, %a136 = %r, %a137 = %r, %a138 = %r, %a139 = %r, %a140 = %r, %a141 = %r, %a142 = %r, %a143 = %r, %a144 = %r, %a145 = %r, %a146 = %r, %a147 = %r, %a148 = %r, %a149 = %r, %a150 = %r, %a151 = %r, %a152 = %r, %a153 = %r, %a154 = %r, %a155 = %r, %a156 = %r, %a157 = %r, %a158 = %r, %a159 = %r, %a160 = %r, %a161 = %r, %a162 = %r, %a163 = %r, %a164 = %r, %a165 = %r, %a166 = %r, %a167 = %r, %a168 = %r, %a169 = %r, %a170 = %r, %a171 = %r, %a172 = %r, %a173 = %r, %a174 = %r, %a175 = %r, %a176 = %r, %a177 = %r, %a178 = %r, %a179 = %r, %a180 = %r, %a181 = %r, %a182 = %r, %a183 = %r, %a184 = %r, %a185 = %r, %a186 = %r, %a187 = %r, %a188 = %r, %a189 = %r, %a190 = %r, %a191 = %r, %a192 = %r, %a193 = %r, %a194 = %r, %a195 = %r, %a196 = %r, %a197 = %r, %a198 = %r, %a199 = %r, %a200 = %r, %a201 = %r, %a202 = %r, %a203 = %r, %a204 = %r, %a205 = %r, %a206 = %r, %a207 = %r, %a208 = %r, %a209 = %r, %a210 = %r, %a211 = %r, %a212 = %r, %a213 = %r, %a214 = %r, %a215 = %r, %a216 = %r, %a217 = %r, %a218 = %r, %a219 = %r, %a220 = %r, %a221 = %r, %a222 = %r, %a223 = %r, %a224 = %r, %a225 = %r, %a226 = %r, %a227 = %r, %a228 = %r, %a229 = %r, %a230 = %r, %a231 = %r, %a232 = %r, %a233 = %r, %a234 = %r, %a235 = %r, %a236 = %r, %a237 = %r, %a238 = %r, %a239 = %r, %a240 = %r, %a241 = %r, %a242 = %r, %a243 = %r, %a244 = %r, %a245 = %r, %a246 = %r, %a247 = %r, %a248 = %r, %a249 = %r, %a250 = %r, %a251 = %r, %a252 = %r, %a253 = %r, %a254 = %r) {
    npuisa.sync on ld after(%a0)
    %t = npuisa.sync on mm -> !npuisa.token
    npuisa.yield %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a31, %a32, %a33, %a34, %a35, %a36, %a37, %a38, %a39, %a40, %a41, %a42, %a43, %a44, %a45, %a46, %a47, %a48, %a49, %a50, %a51, %a52, %a53, %a54, %a55, %a56, %a57, %a58, %a59, %a60, %a61, %a62, %a63, %a64, %a65, %a66, %a67, %a68, %a69, %a70, %a71, %a72, %a73, %a74, %a75, %a76, %a77, %a78, %a79, %a80, %a81, %a82, %a83, %a84, %a85, %a86, %a87, %a88, %a89, %a90, %a91, %a92, %a93, %a94, %a95, %a96, %a97, %a98, %a99, %a100, %a101, %a102, %a103, %a104, %a105, %a106, %a107, %a108, %a109, %a110, %a111, %a112, %a113, %a114, %a115, %a116, %a117, %a118, %a119, %a120, %a121, %a122, %a123, %a124, %a125, %a126, %a127, %a128, %a129, %a130, %a131, %a132, %a133, %a134, %a135, %a136, %a137, %a138, %a139, %a140, %a141, %a142, %a143, %a144, %a145, %a146, %a147, %a148, %a149, %a150, %a151, %a152, %a153, %a154, %a155, %a156, %a157, %a158, %a159, %a160, %a161, %a162, %a163, %a164, %a165, %a166, %a167, %a168, %a169, %a170, %a171, %a172, %a173, %a174, %a175, %a176, %a177, %a178, %a179, %a180, %a181, %a182, %a183, %a184, %a185, %a186, %a187, %a188, %a189, %a190, %a191, %a192, %a193, %a194, %a195, %a196, %a197, %a198, %a199, %a200, %a201, %a202, %a203, %a204, %a205, %a206, %a207, %a208, %a209, %a210, %a211, %a212, %a213, %a214, %a215, %a216, %a217, %a218, %a219, %a220, %a221, %a222, %a223, %a224, %a225, %a226, %a227, %a228, %a229, %a230, %a231, %a232, %a233, %a234, %a235, %a236, %a237, %a238, %a239, %a240, %a241, %a242, %a243, %a244, %a245, %a246, %a247, %a248, %a249, %a250, %a251, %a252, %a253, %a254, %t
  }
  npuisa.halt
}

// -----

// 256 are one too many.
npuisa.program @credits regions [] {
  %r = npuisa.ready
  // expected-error @below {{expected at most 255 dependences in flight ('max_semaphore_count'), but queue 'ld' may run 256 ahead of 'mm'}}
  %l:256 = npuisa.loop count(1000) carries(%a0 = %r, %a1 = %r, %a2 = %r, %a3 = %r, %a4 = %r, %a5 = %r, %a6 = %r, %a7 = %r, %a8 = %r, %a9 = %r, %a10 = %r, %a11 = %r, %a12 = %r, %a13 = %r, %a14 = %r, %a15 = %r, %a16 = %r, %a17 = %r, %a18 = %r, %a19 = %r, %a20 = %r, %a21 = %r, %a22 = %r, %a23 = %r, %a24 = %r, %a25 = %r, %a26 = %r, %a27 = %r, %a28 = %r, %a29 = %r, %a30 = %r, %a31 = %r, %a32 = %r, %a33 = %r, %a34 = %r, %a35 = %r, %a36 = %r, %a37 = %r, %a38 = %r, %a39 = %r, %a40 = %r, %a41 = %r, %a42 = %r, %a43 = %r, %a44 = %r, %a45 = %r, %a46 = %r, %a47 = %r, %a48 = %r, %a49 = %r, %a50 = %r, %a51 = %r, %a52 = %r, %a53 = %r, %a54 = %r, %a55 = %r, %a56 = %r, %a57 = %r, %a58 = %r, %a59 = %r, %a60 = %r, %a61 = %r, %a62 = %r, %a63 = %r, %a64 = %r, %a65 = %r, %a66 = %r, %a67 = %r, %a68 = %r, %a69 = %r, %a70 = %r, %a71 = %r, %a72 = %r, %a73 = %r, %a74 = %r, %a75 = %r, %a76 = %r, %a77 = %r, %a78 = %r, %a79 = %r, %a80 = %r, %a81 = %r, %a82 = %r, %a83 = %r, %a84 = %r, %a85 = %r, %a86 = %r, %a87 = %r, %a88 = %r, %a89 = %r, %a90 = %r, %a91 = %r, %a92 = %r, %a93 = %r, %a94 = %r, %a95 = %r, %a96 = %r, %a97 = %r, %a98 = %r, %a99 = %r, %a100 = %r, %a101 = %r, %a102 = %r, %a103 = %r, %a104 = %r, %a105 = %r, %a106 = %r, %a107 = %r, %a108 = %r, %a109 = %r, %a110 = %r, %a111 = %r, %a112 = %r, %a113 = %r, %a114 = %r, %a115 = %r, %a116 = %r, %a117 = %r, %a118 = %r, %a119 = %r, %a120 = %r, %a121 = %r, %a122 = %r, %a123 = %r, %a124 = %r, %a125 = %r, %a126 = %r, %a127 = %r, %a128 = %r, %a129 = %r, %a130 = %r, %a131 = %r, %a132 = %r, %a133 = %r, %a134 = %r, %a135 = %r, %a136 = %r, %a137 = %r, %a138 = %r, %a139 = %r, %a140 = %r, %a141 = %r, %a142 = %r, %a143 = %r, %a144 = %r, %a145 = %r, %a146 = %r, %a147 = %r, %a148 = %r, %a149 = %r, %a150 = %r, %a151 = %r, %a152 = %r, %a153 = %r, %a154 = %r, %a155 = %r, %a156 = %r, %a157 = %r, %a158 = %r, %a159 = %r, %a160 = %r, %a161 = %r, %a162 = %r, %a163 = %r, %a164 = %r, %a165 = %r, %a166 = %r, %a167 = %r, %a168 = %r, %a169 = %r, %a170 = %r, %a171 = %r, %a172 = %r, %a173 = %r, %a174 = %r, %a175 = %r, %a176 = %r, %a177 = %r, %a178 = %r, %a179 = %r, %a180 = %r, %a181 = %r, %a182 = %r, %a183 = %r, %a184 = %r, %a185 = %r, %a186 = %r, %a187 = %r, %a188 = %r, %a189 = %r, %a190 = %r, %a191 = %r, %a192 = %r, %a193 = %r, %a194 = %r, %a195 = %r, %a196 = %r, %a197 = %r, %a198 = %r, %a199 = %r, %a200 = %r, %a201 = %r, %a202 = %r, %a203 = %r, %a204 = %r, %a205 = %r, %a206 = %r, %a207 = %r, %a208 = %r, %a209 = %r, %a210 = %r, %a211 = %r, %a212 = %r, %a213 = %r, %a214 = %r, %a215 = %r, %a216 = %r, %a217 = %r, %a218 = %r, %a219 = %r, %a220 = %r, %a221 = %r, %a222 = %r, %a223 = %r, %a224 = %r, %a225 = %r, %a226 = %r, %a227 = %r, %a228 = %r, %a229 = %r, %a230 = %r, %a231 = %r, %a232 = %r, %a233 = %r, %a234 = %r, %a235 = %r, %a236 = %r, %a237 = %r, %a238 = %r, %a239 = %r, %a240 = %r, %a241 = %r, %a242 = %r, %a243 = %r, %a244 = %r, %a245 = %r, %a246 = %r, %a247 = %r, %a248 = %r, %a249 = %r, %a250 = %r, %a251 = %r, %a252 = %r, %a253 = %r, %a254 = %r, %a255 = %r) {
    npuisa.sync on ld after(%a0)
    %t = npuisa.sync on mm -> !npuisa.token
    npuisa.yield %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a31, %a32, %a33, %a34, %a35, %a36, %a37, %a38, %a39, %a40, %a41, %a42, %a43, %a44, %a45, %a46, %a47, %a48, %a49, %a50, %a51, %a52, %a53, %a54, %a55, %a56, %a57, %a58, %a59, %a60, %a61, %a62, %a63, %a64, %a65, %a66, %a67, %a68, %a69, %a70, %a71, %a72, %a73, %a74, %a75, %a76, %a77, %a78, %a79, %a80, %a81, %a82, %a83, %a84, %a85, %a86, %a87, %a88, %a89, %a90, %a91, %a92, %a93, %a94, %a95, %a96, %a97, %a98, %a99, %a100, %a101, %a102, %a103, %a104, %a105, %a106, %a107, %a108, %a109, %a110, %a111, %a112, %a113, %a114, %a115, %a116, %a117, %a118, %a119, %a120, %a121, %a122, %a123, %a124, %a125, %a126, %a127, %a128, %a129, %a130, %a131, %a132, %a133, %a134, %a135, %a136, %a137, %a138, %a139, %a140, %a141, %a142, %a143, %a144, %a145, %a146, %a147, %a148, %a149, %a150, %a151, %a152, %a153, %a154, %a155, %a156, %a157, %a158, %a159, %a160, %a161, %a162, %a163, %a164, %a165, %a166, %a167, %a168, %a169, %a170, %a171, %a172, %a173, %a174, %a175, %a176, %a177, %a178, %a179, %a180, %a181, %a182, %a183, %a184, %a185, %a186, %a187, %a188, %a189, %a190, %a191, %a192, %a193, %a194, %a195, %a196, %a197, %a198, %a199, %a200, %a201, %a202, %a203, %a204, %a205, %a206, %a207, %a208, %a209, %a210, %a211, %a212, %a213, %a214, %a215, %a216, %a217, %a218, %a219, %a220, %a221, %a222, %a223, %a224, %a225, %a226, %a227, %a228, %a229, %a230, %a231, %a232, %a233, %a234, %a235, %a236, %a237, %a238, %a239, %a240, %a241, %a242, %a243, %a244, %a245, %a246, %a247, %a248, %a249, %a250, %a251, %a252, %a253, %a254, %a255, %t
  }
  npuisa.halt
}

// -----

// Three nests of all pairs of queues, and four pairs more, are 64 semaphores: as many as the target has.
npuisa.program @most_semaphores regions [] {
  %ld0 = npuisa.sync on ld -> !npuisa.token
  %st0 = npuisa.sync on st -> !npuisa.token
  %mm0 = npuisa.sync on mm -> !npuisa.token
  %dr0 = npuisa.sync on dr -> !npuisa.token
  %ve0 = npuisa.sync on ve -> !npuisa.token
  npuisa.sync on ld after(%st0, %mm0, %dr0, %ve0)
  npuisa.sync on st after(%ld0, %mm0, %dr0, %ve0)
  npuisa.sync on mm after(%ld0, %st0, %dr0, %ve0)
  npuisa.sync on dr after(%ld0, %st0, %mm0, %ve0)
  npuisa.sync on ve after(%ld0, %st0, %mm0, %dr0)
  npuisa.loop count(2) {
    %ld1 = npuisa.sync on ld -> !npuisa.token
    %st1 = npuisa.sync on st -> !npuisa.token
    %mm1 = npuisa.sync on mm -> !npuisa.token
    %dr1 = npuisa.sync on dr -> !npuisa.token
    %ve1 = npuisa.sync on ve -> !npuisa.token
    npuisa.sync on ld after(%st1, %mm1, %dr1, %ve1)
    npuisa.sync on st after(%ld1, %mm1, %dr1, %ve1)
    npuisa.sync on mm after(%ld1, %st1, %dr1, %ve1)
    npuisa.sync on dr after(%ld1, %st1, %mm1, %ve1)
    npuisa.sync on ve after(%ld1, %st1, %mm1, %dr1)
    npuisa.loop count(2) {
      %ld2 = npuisa.sync on ld -> !npuisa.token
      %st2 = npuisa.sync on st -> !npuisa.token
      %mm2 = npuisa.sync on mm -> !npuisa.token
      %dr2 = npuisa.sync on dr -> !npuisa.token
      %ve2 = npuisa.sync on ve -> !npuisa.token
      npuisa.sync on ld after(%st2, %mm2, %dr2, %ve2)
      npuisa.sync on st after(%ld2, %mm2, %dr2, %ve2)
      npuisa.sync on mm after(%ld2, %st2, %dr2, %ve2)
      npuisa.sync on dr after(%ld2, %st2, %mm2, %ve2)
      npuisa.sync on ve after(%ld2, %st2, %mm2, %dr2)
      npuisa.loop count(2) {
        %ld3 = npuisa.sync on ld -> !npuisa.token
        %st3 = npuisa.sync on st -> !npuisa.token
        %mm3 = npuisa.sync on mm -> !npuisa.token
        %dr3 = npuisa.sync on dr -> !npuisa.token
        %ve3 = npuisa.sync on ve -> !npuisa.token
        npuisa.sync on ld after(%st3, %mm3, %dr3, %ve3)
      }
    }
  }
  npuisa.halt
}

// -----

// One pair more has no semaphore.
// expected-error @below {{program 'semaphores' needs 65 semaphores (one for each pair of queues, loop depth and distance), but the target has 64 ('num_semaphores')}}
npuisa.program @semaphores regions [] {
  %ld0 = npuisa.sync on ld -> !npuisa.token
  %st0 = npuisa.sync on st -> !npuisa.token
  %mm0 = npuisa.sync on mm -> !npuisa.token
  %dr0 = npuisa.sync on dr -> !npuisa.token
  %ve0 = npuisa.sync on ve -> !npuisa.token
  npuisa.sync on ld after(%st0, %mm0, %dr0, %ve0)
  npuisa.sync on st after(%ld0, %mm0, %dr0, %ve0)
  npuisa.sync on mm after(%ld0, %st0, %dr0, %ve0)
  npuisa.sync on dr after(%ld0, %st0, %mm0, %ve0)
  npuisa.sync on ve after(%ld0, %st0, %mm0, %dr0)
  npuisa.loop count(2) {
    %ld1 = npuisa.sync on ld -> !npuisa.token
    %st1 = npuisa.sync on st -> !npuisa.token
    %mm1 = npuisa.sync on mm -> !npuisa.token
    %dr1 = npuisa.sync on dr -> !npuisa.token
    %ve1 = npuisa.sync on ve -> !npuisa.token
    npuisa.sync on ld after(%st1, %mm1, %dr1, %ve1)
    npuisa.sync on st after(%ld1, %mm1, %dr1, %ve1)
    npuisa.sync on mm after(%ld1, %st1, %dr1, %ve1)
    npuisa.sync on dr after(%ld1, %st1, %mm1, %ve1)
    npuisa.sync on ve after(%ld1, %st1, %mm1, %dr1)
    npuisa.loop count(2) {
      %ld2 = npuisa.sync on ld -> !npuisa.token
      %st2 = npuisa.sync on st -> !npuisa.token
      %mm2 = npuisa.sync on mm -> !npuisa.token
      %dr2 = npuisa.sync on dr -> !npuisa.token
      %ve2 = npuisa.sync on ve -> !npuisa.token
      npuisa.sync on ld after(%st2, %mm2, %dr2, %ve2)
      npuisa.sync on st after(%ld2, %mm2, %dr2, %ve2)
      npuisa.sync on mm after(%ld2, %st2, %dr2, %ve2)
      npuisa.sync on dr after(%ld2, %st2, %mm2, %ve2)
      npuisa.sync on ve after(%ld2, %st2, %mm2, %dr2)
      npuisa.loop count(2) {
        %ld3 = npuisa.sync on ld -> !npuisa.token
        %st3 = npuisa.sync on st -> !npuisa.token
        %mm3 = npuisa.sync on mm -> !npuisa.token
        %dr3 = npuisa.sync on dr -> !npuisa.token
        %ve3 = npuisa.sync on ve -> !npuisa.token
        npuisa.sync on ld after(%st3, %mm3, %dr3, %ve3)
        npuisa.sync on st after(%ld3)
      }
    }
  }
  npuisa.halt
}
