// Verifiers, effects and syntax of state and functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc::df;

//===-- variables and tables ---------------------------------------------------===//

Attribute VariableOp::getConstantElement() {
  auto constant = dyn_cast<ConstantInitAttr>(getInitializer());
  if (!constant)
    return {};
  Type element = getTensorType().getElementType();
  APFloat value = constant.getValue();
  if (isa<FloatType>(element))
    return FloatAttr::get(element, value.convertToDouble());
  const unsigned width = element.getIntOrFloatBitWidth();
  APSInt integer(width, /*isUnsigned=*/width == 1 || element.isUnsignedInteger());
  bool isExact = false;
  // -0 is 0 as an integer.
  if (!value.isZero() &&
      (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) != APFloat::opOK || !isExact))
    return {};
  return IntegerAttr::get(element, integer);
}

/// (C5) Whether the initializer makes values of the variable's elements.
static LogicalResult verifyInitializer(VariableOp variable) {
  Type element = variable.getTensorType().getElementType();
  if (isa<FloatType>(element) || variable.getConstantElement())
    return success();
  if (auto constant = dyn_cast<ConstantInitAttr>(variable.getInitializer()))
    return variable.emitOpError("(C5) is initialized with ")
           << constant.getValue().convertToDouble() << ", which is not a value of " << element;
  return variable.emitOpError("(C5) has random numbers for an initializer; they are floats, not ") << element;
}

LogicalResult VariableOp::verify() {
  if (failed(verifyInitializer(*this)))
    return failure();
  if (!hasBoundedSize(getTensorType()))
    return emitOpError("is of type ") << getTensorType() << "; the most are " << kMostElements << " elements";
  if (getSlotOf().has_value() != getSlot().has_value())
    return emitOpError("(C2) slot_of and slot come together");
  if (!getNamedRows())
    return success();
  if (getTensorType().getRank() == 0)
    return emitOpError("(C3) has named rows, but no rows");
  int64_t rows = 0;
  llvm::StringSet<> names;
  for (NamedRowsAttr tensor : getTensors()) {
    if (tensor.getName().empty() || !names.insert(tensor.getName()).second)
      return emitOpError("(C3) names of rows must be distinct and not empty; found '") << tensor.getName() << "'";
    if (tensor.getRows() < 1)
      return emitOpError("(C3) '") << tensor.getName() << "' must have a row at least; found " << tensor.getRows();
    if (llvm::AddOverflow(rows, tensor.getRows(), rows))
      return emitOpError("(C3) names more rows than 64 bits hold");
  }
  if (rows != getTensorType().getDimSize(0))
    return emitOpError("(C3) has ") << getTensorType().getDimSize(0) << " rows, of which " << rows << " are named";
  return success();
}

LogicalResult VariableOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getSlotOfAttr())
    return success();
  auto of = lookupVariable(*this, getSlotOfAttr(), tables);
  if (!of)
    return failure();
  auto rowsOf = [](VariableOp variable) {
    return llvm::map_to_vector(variable.getTensors(), [](NamedRowsAttr tensor) { return tensor.getRows(); });
  };
  if (rowsOf(*this) != rowsOf(of))
    return emitOpError("(C4) is a slot of '") << of.getSymName() << "', whose rows are named otherwise";
  return success();
}

SmallVector<NamedRowsAttr> VariableOp::getTensors() {
  return getNamedRows() ? llvm::to_vector(getNamedRows()->getAsRange<NamedRowsAttr>()) : SmallVector<NamedRowsAttr>();
}

/// Looks at each of the terms.
static LogicalResult verifyTerms(VocabularyOp op) {
  ArrayRef<Attribute> terms = op.getTerms().getValue();
  llvm::DenseSet<Attribute> seen;
  seen.reserve(terms.size());
  for (auto [i, term] : llvm::enumerate(terms)) {
    auto integer = dyn_cast<IntegerAttr>(term);
    bool kind = isa<StringAttr>(terms[0]) ? isa<StringAttr>(term) : integer && integer.getType().isInteger(64);
    if (!kind)
      return op.emitOpError("(C1) terms must be all strings or all i64; found ") << term << " at position " << i;
    if (!seen.insert(term).second)
      return op.emitOpError("(C1) terms must be distinct; found ") << term << " again at position " << i;
  }
  return success();
}

LogicalResult VocabularyOp::verify() {
  if (getTerms().empty())
    return emitOpError("(C1) needs at least one term");
  auto &dialect = *getContext()->getLoadedDialect<DfDialect>();
  if (!dialect.areKnownTerms(getTerms())) {
    if (failed(verifyTerms(*this)))
      return failure();
    dialect.addKnownTerms(getTerms());
  }
  int64_t oov = getNumOov();
  if (oov < 0 || (oov > 0 && static_cast<int64_t>(getDefaultValue()) != -1))
    return emitOpError("(C2) num_oov must be >= 0, and excludes a default_value");
  return success();
}

LogicalResult DimensionOp::verify() {
  auto symbol = static_cast<int64_t>(getSymbol());
  if (symbol < 1 || symbol > kMostSymbols)
    return emitOpError("(C1) symbol must be in [1, ") << kMostSymbols << "]; found " << symbol;
  // One of each run of dimensions looks at all of them: each at those before it would take quadratic time.
  if (!isa_and_present<DimensionOp>((*this)->getPrevNode())) {
    llvm::DenseSet<uint64_t> symbols;
    for (auto other : (*this)->getBlock()->getOps<DimensionOp>())
      if (!symbols.insert(other.getSymbol()).second)
        return other.emitOpError("(C1) another dimension has symbol ") << other.getSymbol();
  }
  ArrayRef<int64_t> terms = getTerms();
  if (getKind() == DimensionKind::Product) {
    if (terms.size() < 2 || llvm::any_of(terms, [&](int64_t term) { return term < 1 || term >= symbol; }))
      return emitOpError("(C2) a product needs at least two symbols in [1, ") << symbol << ")";
    return success();
  }
  bool ok = static_cast<int64_t>(terms.size()) <= symbol && llvm::all_of(terms, [](int64_t f) { return f >= 0; }) &&
            llvm::any_of(terms, [](int64_t f) { return f > 0; });
  if (!ok)
    return emitOpError("(C2) a sum needs factors >= 0, not all 0, of symbols below ") << symbol;
  return success();
}

//===-- functions ----------------------------------------------------------------===//

void FunctionOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type, Role role) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getRoleAttrName(state.name), RoleAttr::get(builder.getContext(), role));
  Region *body = state.addRegion();
  Block *block = new Block();
  body->push_back(block);
  for (Type input : type.getInputs())
    block->addArgument(input, state.location);
}

ParseResult FunctionOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> args, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(args, results); };
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                               getFunctionTypeAttrName(result.name), buildType,
                                               getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  // An attribute of another kind than the op's is an error here: it would count as none later.
  return verifyInherentAttrs(result.name, result.attributes,
                             [&] { return parser.emitError(loc) << "'" << result.name << "' op "; });
}

/// Arguments are called by their names, or what they are bound to.
void FunctionOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) {
    unsigned i = argument.getArgNumber();
    // Printed in errors, too, where types and attributes may not fit.
    if (i >= getArgumentTypes().size())
      return;
    if (auto name = getArgAttrOfType<StringAttr>(i, kNameAttr))
      setName(argument, name.getValue());
    else if (BindingAttr binding = getArgBinding(i))
      setName(argument, binding.getName());
  }
}

void FunctionOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

/// (C2) of a function: `df.symbols` of an argument or result.
static LogicalResult verifySymbols(FunctionOp function, StringRef what, unsigned index, DictionaryAttr attributes,
                                   Type type) {
  Attribute found = attributes ? attributes.get(FunctionOp::kSymbolsAttr) : Attribute();
  if (!found)
    return success();
  auto symbols = dyn_cast<DenseI64ArrayAttr>(found);
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool ok = symbols && tensor && symbols.size() == static_cast<int64_t>(tensor.getNumDynamicDims()) &&
            llvm::all_of(symbols.asArrayRef(), [](int64_t symbol) { return symbol >= 0 && symbol <= kMostSymbols; });
  if (!ok)
    return function.emitOpError() << "(C2) " << what << " " << index << " of type " << type << " has "
                                  << FunctionOp::kSymbolsAttr << " = " << found
                                  << "; expected array<i64> of symbols in [0, " << kMostSymbols
                                  << "], one for each dynamic dimension of a tensor";
  if (attributes.contains(FunctionOp::kSymbolAttr))
    return function.emitOpError() << "(C2) " << what << " " << index << " has both " << FunctionOp::kSymbolAttr
                                  << " and " << FunctionOp::kSymbolsAttr;
  return success();
}

LogicalResult FunctionOp::verify() {
  Block &entry = getBody().front();
  if (TypeRange(entry.getArgumentTypes()) != TypeRange(getArgumentTypes()))
    return emitOpError("(C1) entry block must have the function's argument types");
  if (entry.empty() || !isa<ReturnOp>(entry.back()))
    return emitOpError("(C3) the body must end in a df.return");
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (failed(verifySymbols(*this, "argument", i, getArgAttrDict(i), type)))
      return failure();
  for (auto [i, type] : llvm::enumerate(getResultTypes()))
    if (failed(verifySymbols(*this, "result", i, getResultAttrDict(i), type)))
      return failure();
  return success();
}

SmallVector<std::optional<int64_t>> FunctionOp::symbolsOf(DictionaryAttr attributes, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  SmallVector<std::optional<int64_t>> result(tensor.getRank());
  auto all = attributes ? attributes.getAs<DenseI64ArrayAttr>(kSymbolsAttr) : DenseI64ArrayAttr();
  auto first = attributes ? attributes.getAs<IntegerAttr>(kSymbolAttr) : IntegerAttr();
  unsigned next = 0;
  for (auto [d, symbol] : llvm::enumerate(result))
    if (tensor.isDynamicDim(d)) {
      if (all)
        symbol = all[next++];
      else if (d == 0)
        symbol = first ? first.getInt() : 0;
    }
  return result;
}

void FunctionOp::setSymbols(NamedAttrList &attributes, Type type, ArrayRef<int64_t> symbols) {
  Builder b(type.getContext());
  attributes.erase(kSymbolAttr);
  attributes.erase(kSymbolsAttr);
  bool isFirst = !symbols.empty() && cast<RankedTensorType>(type).isDynamicDim(0);
  if (symbols.size() > 1 || (symbols.size() == 1 && !isFirst))
    attributes.set(kSymbolsAttr, b.getDenseI64ArrayAttr(symbols));
  else if (symbols.size() == 1 && symbols[0] != 0)
    attributes.set(kSymbolAttr, b.getI64IntegerAttr(symbols[0]));
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOp>((*this)->getParentOp());
  if (TypeRange(getOperands()) != TypeRange(function.getResultTypes()))
    return emitOpError("(C1) returns (") << TypeRange(getOperands()) << ") but @" << function.getSymName()
                                         << " has results (" << function.getResultTypes() << ")";
  return success();
}

//===-- reads and writes ------------------------------------------------------------===//

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

CallInterfaceCallable CallOp::getCallableForCallee() { return getCalleeAttr(); }
void CallOp::setCalleeFromCallable(CallInterfaceCallable callee) {
  setCalleeAttr(cast<FlatSymbolRefAttr>(cast<SymbolRefAttr>(callee)));
}
OperandRange CallOp::getArgOperands() { return getOperands(); }
MutableOperandRange CallOp::getArgOperandsMutable() { return getOperandsMutable(); }
// The operands are some of the callee's arguments and the results some of its results: those bound as intermediates,
// and the runtime gives the others. Analyses, which pair them by position, must see a callee that they do not know.
Operation *CallOp::resolveCallable() { return nullptr; }
Operation *CallOp::resolveCallableInTable(SymbolTableCollection *) { return nullptr; }

/// Whatever the segment uses.
void CallOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), StateResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), StateResource::get());
}
void ReadOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getVariable()); }
template <typename Op> static LogicalResult verifyVariableType(Op op, Type type, SymbolTableCollection &tables) {
  VariableOp variable = lookupVariable(op, op.getVariableAttr(), tables);
  if (!variable)
    return failure();
  if (variable.getType() != type)
    return op.emitOpError("(C1) ") << op.getVariableAttr() << " has type " << variable.getType() << "; found " << type;
  return success();
}
/// The types of `all` that are bound as intermediates, which `bindingOf` tells.
static SmallVector<Type> intermediatesOf(TypeRange all, llvm::function_ref<BindingAttr(unsigned)> bindingOf) {
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(all))
    if (BindingAttr binding = bindingOf(i); binding && binding.getKind() == BindingKind::Intermediate)
      types.push_back(type);
  return types;
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto callee = tables.lookupNearestSymbolFrom<FunctionOp>(*this, getCalleeAttr());
  if (!callee || callee.getSegment() != SegmentKind::Called)
    return emitOpError("(C1) names ") << getCalleeAttr() << ", which is not a df.function of segment kind called";
  SmallVector<Type> taken =
      intermediatesOf(callee.getArgumentTypes(), [&](unsigned i) { return callee.getArgBinding(i); });
  if (getOperandTypes() != TypeRange(taken))
    return emitOpError("(C2) gives (") << getOperandTypes() << "); " << getCalleeAttr() << " takes (" << taken << ")";
  SmallVector<Type> given =
      intermediatesOf(callee.getResultTypes(), [&](unsigned i) { return callee.getResultBinding(i); });
  if (getResultTypes() != TypeRange(given))
    return emitOpError("(C3) takes (") << getResultTypes() << "); " << getCalleeAttr() << " gives (" << given << ")";
  return success();
}
LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableType(*this, getType(), tables);
}
LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableType(*this, getValue().getType(), tables);
}
LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableType(*this, getValue().getType(), tables);
}
LogicalResult AssignSubOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableType(*this, getValue().getType(), tables);
}

LogicalResult ReadRowsOp::verify() {
  if (shapeOf(getIds().getType()).size() != 1)
    return emitOpError("(C1) ids must be [n]; found ") << getIds().getType();
  return success();
}

/// Whether `rows` holds one row of `table` for each of `ids`.
static bool areRowsOf(Type rows, Type ids, RankedTensorType table) {
  ArrayRef<int64_t> shape = shapeOf(rows);
  return !shape.empty() && table.getRank() >= 1 && shapeOf(ids).size() == 1 && shape[0] == shapeOf(ids)[0] &&
         shape.drop_front() == table.getShape().drop_front() && elementType(rows) == table.getElementType();
}

LogicalResult ReadRowsOp::verifySymbolUses(SymbolTableCollection &tables) {
  VariableOp variable = lookupVariable(*this, getVariableAttr(), tables);
  if (!variable)
    return failure();
  return verifyTypes(*this, areRowsOf(getType(), getIds().getType(), variable.getTensorType()),
                     "(C2) the result must be [n, the rest of the variable's shape]", variable.getType(), getType());
}

/// Checks the region of apply_rows and update_rows: arguments are one row for each of `count` variables and the
/// gradient's row.
static LogicalResult verifyRowRegion(Operation *op, Region &region, RankedTensorType table, size_t count) {
  RankedTensorType row = rowType(table);
  Block &block = region.front();
  if (block.getNumArguments() != count + 1 || llvm::any_of(block.getArgumentTypes(), [&](Type t) { return t != row; }))
    return op->emitOpError("(C2) the region must take ") << count + 1 << " rows of type " << row;
  auto yield = cast<YieldOp>(block.getTerminator());
  // Reducers verify what they have taken values from; the verifier of the yield tells of it.
  if (llvm::is_contained(yield.getOperands(), Value()))
    return success();
  if (yield.getNumOperands() != count || llvm::any_of(yield.getOperandTypes(), [&](Type t) { return t != row; }))
    return op->emitOpError("(C3) the region must yield ") << count << " rows of type " << row;
  return success();
}

LogicalResult ApplyRowsOp::verify() {
  if (getVariables().empty())
    return emitOpError("(C1) needs at least one variable");
  return verifyRowRegion(*this, getBody(), getRows().getType().getType(), getVariables().size());
}

LogicalResult ApplyRowsOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (auto symbol : getVariables().getAsRange<FlatSymbolRefAttr>()) {
    VariableOp variable = lookupVariable(*this, symbol, tables);
    if (!variable)
      return failure();
    if (variable.getType() != getRows().getType().getType())
      return emitOpError("(C1) ") << symbol << " has type " << variable.getType() << "; the rows are of "
                                  << getRows().getType().getType();
  }
  return success();
}

LogicalResult UpdateRowsOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (op.getTables().empty())
    return infer.error("(C1) needs at least one table");
  auto table = cast<RankedTensorType>(op.getTables().front().getType());
  if (llvm::any_of(op.getTables(), [&](Value t) { return t.getType() != table; }) ||
      !areRowsOf(op.getRows().getType(), op.getIds().getType(), table))
    return infer.require(false, "(C1) tables must have one type and rows be [n, its row shape]", table,
                         op.getRows().getType());
  for (Value each : op.getTables())
    (void)infer.result(each.getType(), "(C2) there must be one result for each table, of its type");
  return success();
}

LogicalResult UpdateRowsOp::verify() {
  return verifyRowRegion(*this, getBody(), cast<RankedTensorType>(getTables().front().getType()), getTables().size());
}

//===-- dimensions ------------------------------------------------------------------------===//

void UpdateRowsOp::mapDimensions(DimensionMapping &map) {
  for (auto [table, result] : llvm::zip_equal(getTables(), getResults()))
    map.all(table, result);
  map.rows(getIds(), getRows());
}
