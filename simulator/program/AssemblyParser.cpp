// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/program/Program.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace npuhw;

namespace {

enum class Token : uint8_t { End, Word, Number, String, Punctuation };

/// Splits the text into words, numbers, strings and single characters.
class Lexer {
public:
  explicit Lexer(const std::string &text) : text(text) { next(); }

  Token kind = Token::End;
  std::string spelling; ///< Of a word, a number or a punctuation; contents of a string.
  int64_t line = 1;

  void next() {
    skipBlank();
    if (pos >= text.size()) {
      kind = Token::End;
      spelling = "end of the text";
      return;
    }
    unsigned char c = static_cast<unsigned char>(text[pos]);
    if (isLetter(c)) {
      take(Token::Word, [&](unsigned char d) { return isLetter(d) || isDigit(d); });
    } else if (isDigit(c) || (c == '-' && pos + 1 < text.size() && isDigit(text[pos + 1]))) {
      size_t start = pos++;
      // Reals have a point, and may have a sign behind the 'e' of their exponent.
      bool isHex = text.compare(start, 2, "0x") == 0;
      auto isExponentSign = [&] { return !isHex && text[pos - 1] == 'e' && (text[pos] == '-' || text[pos] == '+'); };
      while (pos < text.size() && (isDigit(text[pos]) || isLetter(text[pos]) || text[pos] == '.' || isExponentSign())) {
        ++pos;
      }
      kind = Token::Number;
      spelling = text.substr(start, pos - start);
    } else if (c == '"') {
      takeString();
    } else {
      kind = Token::Punctuation;
      spelling = std::string(1, static_cast<char>(c));
      ++pos;
    }
  }

private:
  const std::string &text;
  size_t pos = 0;

  static bool isDigit(unsigned char c) { return c >= '0' && c <= '9'; }
  static bool isLetter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  void skipBlank() {
    while (pos < text.size()) {
      char c = text[pos];
      if (c == ';') {
        while (pos < text.size() && text[pos] != '\n') {
          ++pos;
        }
      } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
        line += c == '\n';
        ++pos;
      } else {
        return;
      }
    }
  }

  template <class Pred> void take(Token token, Pred pred) {
    size_t start = pos;
    while (pos < text.size() && pred(static_cast<unsigned char>(text[pos]))) {
      ++pos;
    }
    kind = token;
    spelling = text.substr(start, pos - start);
  }

  static int hexValue(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
      return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }

  void takeString() {
    kind = Token::String;
    spelling.clear();
    ++pos;
    while (pos < text.size() && text[pos] != '"' && text[pos] != '\n') {
      if (text[pos] != '\\') {
        spelling += text[pos++];
        continue;
      }
      bool hex = pos + 3 < text.size() && text[pos + 1] == 'x' && hexValue(text[pos + 2]) >= 0 &&
                 hexValue(text[pos + 3]) >= 0;
      if (hex) {
        spelling += static_cast<char>(hexValue(text[pos + 2]) * 16 + hexValue(text[pos + 3]));
        pos += 4;
      } else {
        if (pos + 1 < text.size()) {
          spelling += text[pos + 1];
        }
        pos += 2;
      }
    }
    if (pos >= text.size() || text[pos] != '"') {
      kind = Token::Punctuation;
      spelling = "unterminated string";
      return;
    }
    ++pos;
  }
};

template <class Enum, size_t N> bool fromSpelling(const std::string &text, const Enum (&all)[N], Enum &value) {
  for (Enum candidate : all) {
    if (text == spell(candidate)) {
      value = candidate;
      return true;
    }
  }
  return false;
}

constexpr RegionRole kAllRoles[] = {RegionRole::Input, RegionRole::Output, RegionRole::Constant, RegionRole::Arena,
                                    RegionRole::State};

/// Recursive descent without recursion: the grammar has no nesting. After the
/// first fault every step does nothing.
class Parser {
public:
  explicit Parser(const std::string &text) : lexer(text) {}

  Result<Program> parse() {
    while (ok() && lexer.kind != Token::End) {
      std::string word = expectWord("'program', 'target', 'region', 'micro', 'source' or 'code'");
      if (word == "program") {
        program.name = expectString();
      } else if (word == "target") {
        parseTarget();
      } else if (word == "region") {
        parseRegion();
      } else if (word == "micro") {
        parseMicro();
      } else if (word == "source") {
        expectIndex(program.sources.size(), "source");
        program.sources.push_back(expectString());
      } else if (word == "code") {
        parseCode();
      } else if (ok()) {
        fail("expected 'program', 'target', 'region', 'micro', 'source' or 'code', but found '" + word + "'");
      }
    }
    if (ok()) {
      std::string fault = verifyStructure(program);
      if (!fault.empty()) {
        fail(fault);
      }
    }
    if (!ok()) {
      return failure;
    }
    return std::move(program);
  }

  // The visitor of the instruction fields.
  template <class T> std::enable_if_t<std::is_integral_v<T>> operator()(const FieldInfo &info, T &value) {
    expectName(info.name);
    value = expectInteger<T>();
  }
  void operator()(const FieldInfo &info, DType &value) {
    expectName(info.name);
    value = expectDType();
  }
  void operator()(const FieldInfo &info, Address &value) {
    expectName(info.name);
    value = expectAddress();
  }
  void operator()(const FieldInfo &info, std::vector<int64_t> &value) {
    expectName(info.name);
    value = expectList();
  }
  void operator()(const FieldInfo &info, std::vector<Operand> &value) {
    expectName(info.name);
    expect("{");
    while (ok() && !at("}")) {
      if (!value.empty()) {
        expect(",");
      }
      Operand operand;
      operand.address = expectAddress();
      expect(":");
      operand.dtype = expectDType();
      expect(":");
      operand.strides = expectList();
      value.push_back(std::move(operand));
    }
    expect("}");
  }

private:
  Lexer lexer;
  Program program;
  Error failure;

  bool ok() const { return failure.message.empty(); }
  void fail(const std::string &message) {
    if (ok()) {
      failure.message = message;
      failure.line = lexer.line;
    }
  }
  bool at(const char *punctuation) const {
    return lexer.kind == Token::Punctuation && lexer.spelling == punctuation;
  }
  void expect(const char *punctuation) {
    if (!at(punctuation)) {
      fail(std::string("expected '") + punctuation + "', but found '" + lexer.spelling + "'");
    }
    step();
  }
  void step() {
    if (ok()) {
      lexer.next();
    }
  }
  std::string expectToken(Token token, const char *what) {
    if (lexer.kind != token) {
      fail(std::string("expected ") + what + ", but found '" + lexer.spelling + "'");
      return "";
    }
    std::string spelling = lexer.spelling;
    step();
    return spelling;
  }
  std::string expectWord(const char *what) { return expectToken(Token::Word, what); }
  std::string expectString() { return expectToken(Token::String, "a string in double quotes"); }
  void expectName(const char *name) {
    std::string word = expectWord(name);
    if (ok() && word != name) {
      fail(std::string("expected '") + name + "=', but found '" + word + "'");
    }
    expect("=");
  }

  template <class T> T expectInteger() {
    std::string text = expectToken(Token::Number, "a number");
    if (!ok()) {
      return 0;
    }
    bool negative = text[0] == '-';
    size_t i = negative ? 1 : 0;
    unsigned base = 10;
    if (text.compare(i, 2, "0x") == 0) {
      base = 16;
      i += 2;
    }
    unsigned __int128 value = 0;
    bool good = i < text.size();
    for (; good && i < text.size(); ++i) {
      char c = text[i];
      unsigned digit = c >= '0' && c <= '9' ? unsigned(c - '0') : c >= 'a' && c <= 'f' ? unsigned(c - 'a' + 10) : 99;
      good = digit < base && value < (static_cast<unsigned __int128>(1) << 64);
      value = value * base + digit;
    }
    auto most = static_cast<unsigned __int128>(std::numeric_limits<T>::max()) + (negative ? 1 : 0);
    if (!good || value > most || (negative && !std::is_signed_v<T>)) {
      fail("the number '" + text + "' does not fit here");
      return 0;
    }
    auto bits = static_cast<uint64_t>(value);
    return static_cast<T>(negative ? ~bits + 1 : bits);
  }
  double expectReal() {
    std::string text = expectToken(Token::Number, "a number");
    char *end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (ok() && (*end != '\0' || !std::isfinite(value))) {
      fail("'" + text + "' is not a number");
    }
    return value;
  }
  void expectIndex(size_t expected, const char *what) {
    auto index = expectInteger<uint64_t>();
    if (ok() && index != expected) {
      fail(std::string("expected ") + what + " " + std::to_string(expected) + ", but found " + std::to_string(index));
    }
  }
  DType expectDType() {
    std::string word = expectWord("an element type");
    DType dtype = DType::B8;
    if (ok() && !fromSpelling(word, kAllDTypes, dtype)) {
      fail("unknown element type '" + word + "'");
    }
    return dtype;
  }
  std::vector<int64_t> expectList() {
    std::vector<int64_t> values;
    expect("[");
    while (ok() && !at("]")) {
      if (!values.empty()) {
        expect(",");
      }
      values.push_back(expectInteger<int64_t>());
    }
    expect("]");
    return values;
  }
  /// A word of one letter or more and a number, such as i0 or dram12.
  unsigned expectNumbered(const char *prefix, unsigned limit) {
    std::string word = expectWord(prefix);
    size_t length = std::strlen(prefix);
    std::string digits = word.size() > length && word.compare(0, length, prefix) == 0 ? word.substr(length) : "";
    bool good = !digits.empty() && digits.size() <= 5 && digits.find_first_not_of("0123456789") == std::string::npos;
    unsigned value = good ? static_cast<unsigned>(std::stoul(digits)) : 0;
    if (ok() && (!good || value > limit)) {
      fail(std::string("expected '") + prefix + "' and a number up to " + std::to_string(limit) + ", but found '" +
           word + "'");
    }
    return value;
  }
  Address expectAddress() {
    Address address;
    if (lexer.kind == Token::Word && (lexer.spelling == "sram" || lexer.spelling == "acc")) {
      address.space = lexer.spelling == "sram" ? Space::Sram : Space::Acc;
      step();
    } else {
      address.space = Space::Dram;
      address.region = static_cast<uint16_t>(expectNumbered("dram", 65535));
    }
    expect("[");
    address.offset = expectInteger<int64_t>();
    while (ok() && !at("]")) {
      expect(",");
      AddressTerm term;
      term.stride = expectInteger<int64_t>();
      expect("*");
      term.loop = static_cast<uint8_t>(expectNumbered("i", 255));
      if (at("%")) {
        step();
        term.modulus = expectInteger<uint16_t>();
      }
      address.terms.push_back(term);
    }
    expect("]");
    return address;
  }
  std::vector<SyncRef> expectSyncs() {
    std::vector<SyncRef> syncs;
    expect("[");
    while (ok() && !at("]")) {
      if (!syncs.empty()) {
        expect(",");
      }
      SyncRef sync;
      sync.semaphore = expectInteger<uint8_t>();
      expect(":");
      sync.count = expectInteger<uint8_t>();
      syncs.push_back(sync);
    }
    expect("]");
    return syncs;
  }
  Bytes expectHex() {
    std::string text = expectString();
    Bytes bytes;
    auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    for (size_t i = 0; ok() && i < text.size(); i += 2) {
      if (i + 1 >= text.size() || digit(text[i]) < 0 || digit(text[i + 1]) < 0) {
        fail("expected pairs of hexadecimal digits");
        break;
      }
      bytes.push_back(static_cast<uint8_t>(digit(text[i]) * 16 + digit(text[i + 1])));
    }
    return bytes;
  }
  uint16_t expectRegister() {
    expect("%");
    return expectInteger<uint16_t>();
  }

  /// Reads the keys of a target in file order.
  struct TargetReader {
    Parser &parser;

    void operator()(const TargetFieldInfo &info, std::string &value) {
      parser.expectName(info.key);
      value = parser.expectString();
    }
    void operator()(const TargetFieldInfo &info, uint64_t &value) {
      parser.expectName(info.key);
      value = parser.expectInteger<uint64_t>();
    }
    void operator()(const TargetFieldInfo &info, double &value) {
      parser.expectName(info.key);
      value = parser.expectReal();
    }
    void operator()(const TargetFieldInfo &info, bool &value) {
      parser.expectName(info.key);
      std::string word = parser.expectWord("'true' or 'false'");
      if (word != "true" && word != "false") {
        parser.fail("expected 'true' or 'false', but found '" + word + "'");
      }
      value = word == "true";
    }
    void operator()(const TargetFieldInfo &info, std::vector<std::string> &values) {
      parser.expectName(info.key);
      parser.expect("[");
      while (parser.ok() && !parser.at("]")) {
        if (!values.empty()) {
          parser.expect(",");
        }
        values.push_back(parser.expectString());
      }
      parser.expect("]");
    }
  };

  void parseTarget() {
    program.target = TargetDesc();
    expect("{");
    visitTarget(program.target, TargetReader{*this});
    expect("}");
    std::vector<std::string> faults;
    if (ok() && !validate(program.target, faults)) {
      fail("target '" + program.target.name + "': " + faults.front());
    }
  }

  void parseRegion() {
    expectIndex(program.regions.size(), "region");
    Region region;
    std::string role = expectWord("a role");
    if (ok() && !fromSpelling(role, kAllRoles, region.role)) {
      fail("unknown role '" + role + "': expected input, output, constant, arena or state");
    }
    region.name = expectString();
    expectName("bytes");
    region.bytes = expectInteger<uint64_t>();
    expectName("dtype");
    region.dtype = expectDType();
    expectName("shape");
    region.shape = expectList();
    while (ok() && lexer.kind == Token::Word && lexer.spelling == "contents") {
      step();
      Bytes bytes = expectHex();
      region.contents.insert(region.contents.end(), bytes.begin(), bytes.end());
    }
    program.regions.push_back(std::move(region));
  }

  uint64_t expectPredicate(const char *const *names, unsigned count) {
    std::string word = expectWord("a predicate");
    for (unsigned i = 0; i < count; ++i) {
      if (word == names[i]) {
        return i;
      }
    }
    fail("unknown predicate '" + word + "'");
    return 0;
  }

  MicroOp parseMicroOp() {
    MicroOp op;
    expect("=");
    std::string word = expectWord("a micro operation");
    if (ok() && !fromSpelling(word, kAllMicroOpcodes, op.opcode)) {
      fail("unknown micro operation '" + word + "'");
    }
    op.type = expectDType();
    if (!ok()) {
      return op;
    }
    switch (microOpInfo(op.opcode)->form) {
    case MicroForm::Leaf:
      op.imm = expectInteger<uint64_t>();
      break;
    case MicroForm::Cmpf:
      op.imm = expectPredicate(kCmpfPredicates, kNumCmpfPredicates);
      break;
    case MicroForm::Cmpi:
      op.imm = expectPredicate(kCmpiPredicates, kNumCmpiPredicates);
      break;
    default:
      break;
    }
    uint16_t *regs[] = {&op.a, &op.b, &op.c};
    for (unsigned k = 0; k < microOperandCount(op.opcode); ++k) {
      *regs[k] = expectRegister();
    }
    return op;
  }

  void parseMicro() {
    expectIndex(program.micros.size(), "microprogram");
    MicroProgram micro;
    micro.name = expectString();
    expectName("inputs");
    micro.numInputs = expectInteger<uint16_t>();
    expect("{");
    while (ok() && at("%")) {
      step();
      expectIndex(micro.ops.size(), "register");
      micro.ops.push_back(parseMicroOp());
    }
    std::string word = expectWord("'outputs'");
    if (ok() && word != "outputs") {
      fail("expected 'outputs', but found '" + word + "'");
    }
    while (ok() && at("%")) {
      micro.outputs.push_back(expectRegister());
    }
    expect("}");
    program.micros.push_back(std::move(micro));
  }

  void parseInstruction() {
    std::string word = expectWord("an instruction");
    Instruction inst;
    Opcode code = Opcode::Halt;
    if (ok() && (!fromSpelling(word, kAllOpcodes, code) || !makeInstruction(code, inst))) {
      fail("unknown instruction '" + word + "'");
    }
    if (!ok()) {
      return;
    }
    InstructionHeader &head = header(inst);
    if (at(".")) {
      step();
      std::string queue = expectWord("a queue");
      if (ok() && !fromSpelling(queue, kAllQueues, head.queue)) {
        fail("unknown queue '" + queue + "'");
      }
    }
    std::visit([&](auto &i) { std::decay_t<decltype(i)>::visit(i, *this); }, inst);
    if (lexer.kind == Token::Word && lexer.spelling == "waits") {
      expectName("waits");
      head.waits = expectSyncs();
    }
    if (lexer.kind == Token::Word && lexer.spelling == "signals") {
      expectName("signals");
      head.signals = expectSyncs();
    }
    uint32_t source = kNoSource;
    if (at("@")) {
      step();
      source = expectInteger<uint32_t>();
    }
    program.code.push_back(std::move(inst));
    program.sourceOf.push_back(source);
  }

  void parseCode() {
    expect("{");
    while (ok() && !at("}")) {
      parseInstruction();
    }
    expect("}");
  }
};

} // namespace

Result<Program> npuhw::parseAssembly(const std::string &text) { return Parser(text).parse(); }
