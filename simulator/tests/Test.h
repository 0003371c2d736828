// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test is a function that registers itself; expectations count.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_TESTS_TEST_H
#define NPU_SIMULATOR_TESTS_TEST_H

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace npuhw::test {

struct Registry {
  struct Case {
    const char *name;
    void (*run)();
  };
  std::vector<Case> cases;
  uint64_t passed = 0;
  uint64_t failed = 0;
  const char *current = "";

  static Registry &get() {
    static Registry registry;
    return registry;
  }
  void check(bool good, const char *file, int line, const std::string &what) {
    (good ? passed : failed) += 1;
    // One broken loop must not print a million lines.
    constexpr uint64_t kMostMessages = 50;
    if (!good && failed <= kMostMessages) {
      std::cout << file << ":" << line << ": " << current << ": " << what << "\n";
    }
  }
};

struct Registrar {
  Registrar(const char *name, void (*run)()) { Registry::get().cases.push_back({name, run}); }
};

/// splitmix64, so that random tests are the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    state += 0x9e3779b97f4a7c15ull;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return next() % bound; }
  int64_t between(int64_t low, int64_t high) {
    uint64_t values = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1; // 0 is all of them
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (values == 0 ? next() : below(values)));
  }

private:
  uint64_t state;
};

} // namespace npuhw::test

#define TEST(name)                                                                                                   \
  static void name();                                                                                                \
  static ::npuhw::test::Registrar registrar_##name(#name, name);                                                     \
  static void name()

#define EXPECT(condition)                                                                                            \
  ::npuhw::test::Registry::get().check((condition), __FILE__, __LINE__, "expected " #condition)

#define EXPECT_EQ(a, b)                                                                                              \
  do {                                                                                                               \
    auto va = (a);                                                                                                   \
    auto vb = (b);                                                                                                   \
    bool good = va == static_cast<decltype(va)>(vb);                                                                 \
    std::string detail;                                                                                              \
    if (!good) {                                                                                                     \
      detail = ::npuhw::test::describe(va) + " is not " + ::npuhw::test::describe(vb);                               \
    }                                                                                                                \
    ::npuhw::test::Registry::get().check(good, __FILE__, __LINE__, #a " == " #b ": " + detail);                      \
  } while (false)

#define EXPECT_CONTAINS(text, part)                                                                                  \
  do {                                                                                                               \
    std::string whole = (text);                                                                                      \
    ::npuhw::test::Registry::get().check(whole.find(part) != std::string::npos, __FILE__, __LINE__,                  \
                                         "'" + whole + "' does not contain '" + (part) + "'");                       \
  } while (false)

namespace npuhw::test {

inline std::string describe(const std::string &v) { return "'" + v + "'"; }
inline std::string describe(const char *v) { return v; }
template <class T> std::string describe(const T &v) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(v);
  } else {
    return "a value";
  }
}

} // namespace npuhw::test

#endif // NPU_SIMULATOR_TESTS_TEST_H
