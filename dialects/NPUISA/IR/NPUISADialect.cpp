// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/IR/Assembly.h"
#include "dialects/NPUISA/IR/Bytecode.h"
#include "dialects/NPUISA/IR/NPUISA.h"
#include "simulator/isa/Types.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npuisa;

#include "dialects/NPUISA/IR/NPUISADialect.cpp.inc"
#include "dialects/NPUISA/IR/NPUISAEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/NPUISA/IR/NPUISAAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/NPUISA/IR/NPUISATypes.cpp.inc"

void NPUISADialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/NPUISA/IR/NPUISAOps.cpp.inc"
      >();
  addBytecodeInterface(*this);
}

void NPUISADialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/NPUISA/IR/NPUISATypes.cpp.inc"
      >();
}

void NPUISADialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/NPUISA/IR/NPUISAAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute AddressAttr::parse(AsmParser &parser, Type) {
  AddressAttr address;
  if (parser.parseLess() || details::parseAddressBody(parser, address) || parser.parseGreater()) {
    return {};
  }
  return address;
}

void AddressAttr::print(AsmPrinter &printer) const {
  printer << '<';
  details::printAddressBody(printer, *this);
  printer << '>';
}

LogicalResult AddressAttr::verify(function_ref<InFlightDiagnostic()> emitError, Space space, unsigned region, int64_t,
                                  ArrayRef<TermAttr> terms) {
  unsigned most = space == Space::Dram ? UINT16_MAX : 0;
  if (region > most) { // address_c1
    return emitError() << "expected a region of at most " << most << " in " << stringifySpace(space) << ", but found "
                       << region;
  }
  if (terms.size() > npuhw::kMaxTerms) { // address_c2
    return emitError() << "expected at most " << npuhw::kMaxTerms << " address terms, but found " << terms.size();
  }
  return success();
}

LogicalResult TermAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned loop, int64_t, unsigned modulus) {
  if (loop >= npuhw::kMaxLoopDepth) { // term_c1
    return emitError() << "expected a loop depth below " << npuhw::kMaxLoopDepth << ", but found " << loop;
  }
  if (modulus > UINT16_MAX) { // term_c1
    return emitError() << "expected a modulus of at most " << UINT16_MAX << ", but found " << modulus;
  }
  return success();
}

Attribute OperandAttr::parse(AsmParser &parser, Type) {
  OperandAttr operand;
  if (parser.parseLess() || details::parseOperandBody(parser, operand) || parser.parseGreater()) {
    return {};
  }
  return operand;
}

void OperandAttr::print(AsmPrinter &printer) const {
  printer << '<';
  details::printOperandBody(printer, *this);
  printer << '>';
}

/// Bytes of the contents of a constant as they lie in memory; -1 for a kind that has none.
static int64_t getContentsBytes(ElementsAttr contents) {
  ShapedType type = contents.getShapedType();
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  bool known = isa<DenseElementsAttr, DenseResourceElementsAttr>(contents);
  return known && bits >= 8 && bits % 8 == 0 ? type.getNumElements() * (bits / 8) : -1;
}

LogicalResult RegionAttr::verify(function_ref<InFlightDiagnostic()> emitError, Role role, StringRef name,
                                 uint64_t bytes, DType dtype, ArrayRef<int64_t> shape, ElementsAttr contents) {
  if ((role == Role::Constant) != static_cast<bool>(contents)) { // region_c1
    return emitError() << "expected contents for exactly the constant regions, but region '" << name << "' is "
                       << stringifyRole(role) << (contents ? " and has contents" : " and has none");
  }
  if (contents && getContentsBytes(contents) != static_cast<int64_t>(bytes)) { // region_c1
    return emitError() << "expected contents of " << bytes << " bytes for region '" << name << "', but found "
                       << contents.getType();
  }
  if (npuhw::isPacked(static_cast<npuhw::DType>(dtype))) { // region_c3
    return emitError() << "expected elements of whole bytes for region '" << name << "', but found "
                       << stringifyDType(dtype);
  }
  for (int64_t extent : shape) { // region_c2
    if (extent < 0) {
      return emitError() << "expected extents of at least 0 for region '" << name << "', but found " << extent;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

StringRef npuisa::getSourceName(Location location) {
  StringRef name;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      name = named.getName();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return name;
}

#define GET_OP_CLASSES
#include "dialects/NPUISA/IR/NPUISAOps.cpp.inc"
