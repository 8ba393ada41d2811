// Functions of workspaces' sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WorkspaceFunctions.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlc;

static bool isFormula(Attribute attribute) {
  auto formula = dyn_cast<DenseI64ArrayAttr>(attribute);
  const int64_t numSymbols = formula && !formula.empty() ? formula[0] : 0;
  return numSymbols >= 1 && (formula.size() - 1) % (numSymbols + 1) == 0;
}

FailureOr<SmallVector<int64_t>> mlc::findWorkspaces(func::FuncOp segment) {
  SmallVector<int64_t> spaces;
  for (NamedAttribute attribute : segment->getDiscardableAttrs()) {
    StringRef name = attribute.getName().getValue();
    int64_t space = 0;
    if (!name.consume_front(workspaceAttr(0)) ||
        !(name.empty() || (name.consume_front(".") && !name.getAsInteger(10, space))))
      continue;
    if (!isFormula(attribute.getValue()))
      return segment.emitError("'")
             << attribute.getName().getValue()
             << "' is no formula; expected array<i64> of a number of symbols, then for each slot "
                "the bytes of each symbol and those that are always there";
    spaces.push_back(space);
  }
  llvm::sort(spaces);
  ArrayRef<Type> types = segment.getArgumentTypes();
  for (size_t i = 0; i < spaces.size(); ++i) {
    const size_t behind = spaces.size() - i;
    MemRefType expected = workspaceType(segment.getContext(), spaces[i]);
    if (types.size() < behind || types[types.size() - behind] != expected)
      return segment.emitError("the last argument is no workspace, of which '")
             << workspaceAttr(spaces[i]) << "' tells; expected one of type " << expected;
  }
  return spaces;
}

static void makeWorkspaceFunction(func::FuncOp segment, int64_t space) {
  const std::string attribute = workspaceAttr(space);
  auto formula = segment->getAttrOfType<DenseI64ArrayAttr>(attribute);
  Location loc = segment.getLoc();
  OpBuilder b(segment);
  auto i64 = b.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(segment.getContext());
  std::string name = (segment.getSymName() + ".workspace").str();
  if (space != 0)
    name += "." + std::to_string(space);
  auto size = func::FuncOp::create(b, loc, name, b.getFunctionType({pointer, i64}, i64));
  Block *entry = size.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto constant = [&](int64_t v) { return Value(arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v))); };
  ArrayRef<int64_t> numbers = formula.asArrayRef();
  int64_t numSymbols = numbers.front();
  SmallVector<Value> symbols;
  for (int64_t k = 0; k < numSymbols; ++k) {
    Value cell = LLVM::GEPOp::create(b, loc, pointer, i64, entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(k)});
    symbols.push_back(LLVM::LoadOp::create(b, loc, i64, cell));
  }
  Value total = constant(0);
  for (numbers = numbers.drop_front(); !numbers.empty(); numbers = numbers.drop_front(numSymbols + 1)) {
    Value bytes = constant(numbers[numSymbols] + 63);
    for (int64_t k = 0; k < numSymbols; ++k)
      if (numbers[k])
        bytes = arith::AddIOp::create(b, loc, bytes, arith::MulIOp::create(b, loc, symbols[k], constant(numbers[k])));
    total = arith::AddIOp::create(b, loc, total, arith::AndIOp::create(b, loc, bytes, constant(-64)));
  }
  func::ReturnOp::create(b, loc, total);
  // The driver evaluates the formula, too.
  size->setAttr(workspaceAttr(0), formula);
  segment->removeAttr(attribute);
}

void mlc::makeWorkspaceFunctions(func::FuncOp segment, ArrayRef<int64_t> spaces) {
  for (int64_t space : spaces)
    makeWorkspaceFunction(segment, space);
}
