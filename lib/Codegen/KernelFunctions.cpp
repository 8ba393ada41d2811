// Functions of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlc;

/// Kernels that differ in numbers alone at most, before one gets the numbers.
static constexpr int64_t kMostAlike = 4;

bool mlc::isConstantOfKernels(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumOperands() == 0 && op->getNumResults() == 1 && isPure(op);
}

SmallVector<Value> mlc::capturedBy(kern::LaunchOp launch) {
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(launch.getBody(), outside);
  return llvm::to_vector(llvm::make_filter_range(outside, [](Value value) { return !isConstantOfKernels(value); }));
}

void mlc::eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static Attribute valueOf(Value constant) { return constant.getDefiningOp<arith::ConstantOp>().getValue(); }

/// The function of a launch, outside of the module, so that its text is its own. Its arguments are what is captured,
/// then `numbers`, then those of the launch's region.
func::FuncOp KernelFunctions::clone(kern::LaunchOp launch, ValueRange captured, const Numbers &numbers) {
  Location loc = launch.getLoc();
  OpBuilder b(launch.getContext());
  SmallVector<Type> types(captured.getTypes());
  for (Value number : numbers.values)
    types.push_back(number.getType());
  Block &body = launch.getBody().front();
  llvm::append_range(types, body.getArgumentTypes());
  auto function = func::FuncOp::create(loc, prefix, b.getFunctionType(types, {}));
  function.setPrivate();
  if (launch.getGrid())
    function->setAttr(kern::kGridAttr, launch.getGridAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (auto [i, value] : llvm::enumerate(captured))
    mapping.map(value, entry->getArgument(i));
  llvm::SmallDenseMap<Value, Value> ofNumber;
  for (auto [i, number] : llvm::enumerate(numbers.values))
    ofNumber[number] = entry->getArgument(captured.size() + i);
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(launch.getBody(), outside);
  for (Value value : outside)
    if (isConstantOfKernels(value))
      mapping.map(value, b.clone(*value.getDefiningOp())->getResult(0));
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments(), entry->getArguments().take_back(body.getNumArguments())))
    mapping.map(argument, value);
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  for (OpOperand *use : numbers.uses)
    mapping.lookup(use->getOwner())->setOperand(use->getOperandNumber(), ofNumber.lookup(use->get()));
  func::ReturnOp::create(b, loc);
  eraseDeadOps(*entry);
  return function;
}

namespace {
/// Writes down what a region does: ops, attributes, types, and values by the order in which they come. What is unique
/// in a context goes by its address, so that two launches that do the same have the same bytes.
class KernelKey {
public:
  void addCaptured(Value value) {
    add(value.getType().getAsOpaquePointer());
    ids.try_emplace(value, ids.size());
  }
  void addGrid(kern::GridAttr grid) { add(grid ? grid.getAsOpaquePointer() : nullptr); }
  /// What `use` has is number `i` of those that the kernel gets.
  void addNumber(OpOperand *use, uint64_t i) { numbers[use] = i; }

  void add(Region &region) {
    add(region.getBlocks().size());
    for (Block &block : region) {
      add(block.getNumArguments());
      for (BlockArgument argument : block.getArguments())
        addCaptured(argument);
    }
    for (Block &block : region)
      for (Operation &op : block)
        add(op);
  }

  std::string bytes;

private:
  void add(const void *pointer) { add(reinterpret_cast<uintptr_t>(pointer)); }
  void add(uint64_t number) { bytes.append(reinterpret_cast<const char *>(&number), sizeof(number)); }
  void addWhat(Operation &op) {
    add(op.getName().getAsOpaquePointer());
    add(op.getAttrDictionary().getAsOpaquePointer());
  }

  void addUse(OpOperand &use) {
    enum Kind : uint64_t { Known, Number, Constant };
    if (auto known = ids.find(use.get()); known != ids.end()) {
      add(Known);
      return add(known->second);
    }
    if (auto number = numbers.find(&use); number != numbers.end()) {
      add(Number);
      add(number->second);
    } else {
      // Each function makes its own.
      add(Constant);
      addWhat(*use.get().getDefiningOp());
    }
    add(use.get().getType().getAsOpaquePointer());
  }

  void add(Operation &op) {
    assert(op.getNumSuccessors() == 0 && "a kernel has structured control flow");
    addWhat(op);
    add(op.getNumOperands());
    for (OpOperand &operand : op.getOpOperands())
      addUse(operand);
    add(op.getNumResults());
    for (Value result : op.getResults())
      addCaptured(result);
    add(op.getNumRegions());
    for (Region &region : op.getRegions())
      add(region);
  }

  llvm::DenseMap<Value, uint64_t> ids;
  llvm::DenseMap<OpOperand *, uint64_t> numbers;
};
} // namespace

std::string KernelFunctions::keyOf(kern::LaunchOp launch, ValueRange captured, const Numbers &numbers) {
  KernelKey key;
  key.addGrid(launch.getGridAttr());
  for (Value value : captured)
    key.addCaptured(value);
  llvm::SmallDenseMap<Value, uint64_t> numberOf;
  for (auto [i, number] : llvm::enumerate(numbers.values))
    numberOf[number] = i;
  for (OpOperand *use : numbers.uses)
    key.addNumber(use, numberOf.lookup(use->get()));
  key.add(launch.getBody());
  return std::move(key.bytes);
}

/// Numbers that a kernel may as well get as be made with: what is added to an index, such as where a part of a buffer
/// begins, and integers that it computes with, such as keys of random numbers. Sizes of loops and strides are not: with
/// them LLVM unrolls.
KernelFunctions::Numbers KernelFunctions::findNumbers(kern::LaunchOp launch) {
  Numbers numbers;
  llvm::SmallDenseSet<Value> known;
  launch.getBody().walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      auto constant = value.getDefiningOp<arith::ConstantOp>();
      if (!constant || launch->isProperAncestor(constant))
        continue;
      auto vector = dyn_cast<VectorType>(value.getType());
      Type type = vector ? vector.getElementType() : value.getType();
      const bool isOffset = type.isIndex() && isa<arith::AddIOp>(op);
      const bool isKey = (type.isInteger(32) || type.isInteger(64)) &&
                         (isa<arith::ArithDialect>(op->getDialect()) || isa<vector::BroadcastOp>(op));
      if ((!isOffset && !isKey) || (vector && !isa<SplatElementsAttr>(constant.getValue())))
        continue;
      if (known.insert(value).second)
        numbers.values.push_back(value);
      numbers.uses.push_back(&use);
    }
  });
  return numbers;
}

/// Makes the function of a launch, or finds an equal one. Of kernels that differ in such numbers alone the first few
/// have them in their code; others get in `captured`, which they are added to, those in which they have differed.
func::FuncOp KernelFunctions::of(kern::LaunchOp launch, SmallVectorImpl<Value> &captured) {
  std::string key = keyOf(launch, captured, Numbers());
  if (auto known = kernels.find(key); known != kernels.end())
    return known->second;
  Numbers numbers = findNumbers(launch);
  if (numbers.values.empty())
    return find(launch, captured, Numbers(), std::move(key));
  Family &family = families[keyOf(launch, captured, numbers)];
  if (family.first.empty()) {
    for (Value number : numbers.values)
      family.first.push_back(valueOf(number));
    family.differs.resize(family.first.size());
  }
  for (auto [i, number] : llvm::enumerate(numbers.values))
    family.differs[i] = family.differs[i] || valueOf(number) != family.first[i];
  if (++family.size <= kMostAlike)
    return find(launch, captured, Numbers(), std::move(key));
  Numbers different;
  for (auto [number, differs] : llvm::zip_equal(numbers.values, family.differs))
    if (differs)
      different.values.push_back(number);
  for (OpOperand *use : numbers.uses)
    if (llvm::is_contained(different.values, use->get()))
      different.uses.push_back(use);
  func::FuncOp shared = find(launch, captured, different, keyOf(launch, captured, different));
  llvm::append_range(captured, different.values);
  return shared;
}

/// "_" and the field of a spec, or the file and its line, that a kernel of a device was first made of, in letters that
/// names of such kernels have: what fails there is told by the kernel's name alone.
static std::string placeOf(Location loc) {
  constexpr size_t kMostLetters = 40;
  std::string place;
  if (auto field = loc->findInstanceOf<NameLoc>(); field && !isa<UnknownLoc>(field.getChildLoc()))
    place = field.getName().str();
  else if (auto at = loc->findInstanceOf<FileLineColLoc>())
    place = (llvm::sys::path::stem(at.getFilename()) + "_" + Twine(at.getLine())).str();
  if (place.empty())
    return place;
  for (char &letter : place)
    if (!llvm::isAlnum(letter))
      letter = '_';
  return "_" + place.substr(0, kMostLetters);
}

/// The kernel with this key in the module, which is made if there was none.
func::FuncOp KernelFunctions::find(kern::LaunchOp launch, ValueRange captured, const Numbers &numbers,
                                   std::string key) {
  auto [known, isNew] = kernels.try_emplace(key);
  if (isNew) {
    known->second = clone(launch, captured, numbers);
    const std::string place = launch.getGrid() ? placeOf(launch.getLoc()) : std::string();
    known->second.setSymName((prefix + "_" + Twine(kernels.size() - 1) + place).str());
    module.push_back(known->second);
  }
  return known->second;
}

func::FuncOp KernelFunctions::outline(kern::LaunchOp launch) {
  SmallVector<Value> arguments = capturedBy(launch);
  func::FuncOp kernel = of(launch, arguments);
  Block &body = launch.getBody().front();
  while (Operation *last = body.getTerminator()->getPrevNode())
    last->erase();
  llvm::append_range(arguments, body.getArguments());
  OpBuilder b(body.getTerminator());
  func::CallOp::create(b, launch.getLoc(), kernel, arguments);
  return kernel;
}
