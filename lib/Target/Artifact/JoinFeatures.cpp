// artifact-join-features: see ArtifactPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "mlc/Target/Artifact/ArtifactPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace mlc {
#define GEN_PASS_DEF_JOINFEATURES
#include "lib/Target/Artifact/ArtifactPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
/// Operands [first, first + arguments.size()) of a concatenation: features, and all their names, which are as long as
/// the run and so made once.
struct Run {
  kern::ConcatOp concat;
  size_t first;
  SmallVector<BlockArgument> arguments;
  StringAttr name;
};

struct JoinFeatures : public mlc::impl::JoinFeaturesBase<JoinFeatures> {
  /// Features that some segment uses otherwise than in the place where it has them joined.
  llvm::StringSet<> apart;

  static df::BindingAttr bindingOf(BlockArgument argument) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttrOfType<df::BindingAttr>(argument.getArgNumber(), df::FunctionOp::kBindingAttr);
  }
  static StringRef nameOf(BlockArgument argument) { return bindingOf(argument).getName(); }

  /// Rows of the batch, with a static number of elements each.
  static bool hasRows(func::FuncOp function, BlockArgument argument) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    return type && (type.getRank() == 1 || type.getRank() == 2) && type.isDynamicDim(0) &&
           (type.getRank() == 1 || !type.isDynamicDim(1)) &&
           !function.getArgAttr(argument.getArgNumber(), df::FunctionOp::kSymbolAttr) &&
           !function.getArgAttr(argument.getArgNumber(), kMatrixAttr);
  }

  /// The feature that a part of a concatenation of rows is, itself or as a column; null: it is none.
  static BlockArgument featureOf(Value part) {
    if (auto expand = part.getDefiningOp<tensor::ExpandShapeOp>())
      if (expand.getSrcType().getRank() == 1 && expand.getResultType().getRank() == 2 &&
          expand.getResultType().getDimSize(1) == 1)
        part = expand.getSrc();
    auto argument = dyn_cast<BlockArgument>(part);
    if (!argument)
      return {};
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!function || !argument.getOwner()->isEntryBlock())
      return {};
    df::BindingAttr binding = bindingOf(argument);
    return binding && binding.getKind() == df::BindingKind::Feature && hasRows(function, argument) ? argument
                                                                                                   : BlockArgument();
  }

  /// Whether all that is made of a feature, but for its number of rows, is parts of concatenations of rows, in each
  /// one.
  static bool isJoinedAlone(Value value, llvm::SmallPtrSetImpl<Operation *> &concats) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isa<tensor::DimOp>(user))
        return true;
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user); expand && expand.getSrc() == value)
        return isJoinedAlone(expand.getResult(), concats);
      auto concat = dyn_cast<kern::ConcatOp>(user);
      return concat && concat.getAxis() == 1 && use.getOperandNumber() < concat.getIns().size() &&
             concats.insert(concat).second;
    });
  }

  /// Runs of features that may be joined, as long as possible; those of one feature, which has its place alone there.
  std::vector<Run> findRuns() {
    std::vector<Run> runs;
    getOperation().walk([&](kern::ConcatOp concat) {
      if (concat.getAxis() != 1 || cast<ShapedType>(concat.getOuts()[0].getType()).getRank() != 2)
        return;
      Run run{concat, 0, {}, {}};
      auto finish = [&] {
        if (run.arguments.empty())
          return;
        auto names = llvm::map_range(run.arguments, [](BlockArgument a) { return nameOf(a); });
        run.name = StringAttr::get(&getContext(), llvm::join(names, "|"));
        runs.push_back(run);
        run.arguments.clear();
      };
      for (auto [i, part] : llvm::enumerate(concat.getIns())) {
        BlockArgument feature = featureOf(part);
        if (!feature || apart.contains(nameOf(feature))) {
          finish();
          continue;
        }
        if (run.arguments.empty())
          run.first = i;
        run.arguments.push_back(feature);
      }
      finish();
    });
    return runs;
  }

  /// Notes features that are joined in one place and alone in another, or else those whose runs differ. False: none.
  bool noteOthers(ArrayRef<Run> runs) {
    llvm::DenseSet<BlockArgument> joined;
    llvm::StringMap<StringAttr> joinedIn;
    llvm::StringSet<> differ, alone;
    for (const Run &run : runs) {
      if (run.arguments.size() == 1) {
        alone.insert(run.name.getValue());
        continue;
      }
      for (BlockArgument feature : run.arguments) {
        joined.insert(feature);
        auto [it, isNew] = joinedIn.try_emplace(nameOf(feature), run.name);
        if (!isNew && it->second != run.name)
          differ.insert(nameOf(feature));
      }
    }
    const size_t before = apart.size();
    for (const auto &name : alone)
      if (joinedIn.count(name.getKey()))
        apart.insert(name.getKey());
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (BlockArgument argument : function.getArguments())
        if (df::BindingAttr binding = bindingOf(argument); binding && binding.getKind() == df::BindingKind::Feature &&
                                                           joinedIn.count(binding.getName()) &&
                                                           !joined.contains(argument) && !argument.use_empty())
          apart.insert(binding.getName());
    if (apart.size() == before)
      for (const auto &name : differ)
        apart.insert(name.getKey());
    return apart.size() != before;
  }

  /// Segments as the table has them have their types in an attribute, too.
  static void setTypes(func::FuncOp function, function_ref<void(SmallVectorImpl<Type> &)> change) {
    auto attribute = function->getAttrOfType<TypeAttr>(df::DfDialect::kTypeAttr);
    if (!attribute)
      return;
    auto type = cast<FunctionType>(attribute.getValue());
    SmallVector<Type> inputs(type.getInputs());
    change(inputs);
    function->setAttr(df::DfDialect::kTypeAttr,
                      TypeAttr::get(FunctionType::get(function.getContext(), inputs, type.getResults())));
  }

  /// Makes the features of `runs`, which are the same in one segment, an argument.
  static void join(ArrayRef<Run> runs) {
    const Run &run = runs.front();
    auto function = runs.front().concat->getParentOfType<func::FuncOp>();
    Builder b(function.getContext());
    SmallVector<Attribute> columns;
    int64_t width = 0;
    for (BlockArgument feature : run.arguments) {
      auto type = cast<RankedTensorType>(feature.getType());
      columns.push_back(b.getStringAttr(nameOf(feature)));
      columns.push_back(TypeAttr::get(type));
      width += type.getRank() == 1 ? 1 : type.getDimSize(1);
    }
    auto type = RankedTensorType::get({ShapedType::kDynamic, width},
                                      cast<RankedTensorType>(run.arguments.front().getType()).getElementType());
    auto attributes =
        b.getDictionaryAttr({b.getNamedAttr(df::FunctionOp::kBindingAttr,
                                            df::BindingAttr::get(b.getContext(), df::BindingKind::Feature, run.name)),
                             b.getNamedAttr(kMatrixAttr, b.getArrayAttr(columns))});
    const unsigned at = run.arguments.front().getArgNumber();
    (void)function.insertArgument(at, type, attributes, run.arguments.front().getLoc());
    setTypes(function, [&](SmallVectorImpl<Type> &inputs) { inputs.insert(inputs.begin() + at, type); });
    Value matrix = function.getArgument(at);
    for (const Run &each : runs)
      useMatrix(each, matrix);
    eraseArguments(function, run, matrix);
  }

  static void useMatrix(const Run &run, Value matrix) {
    kern::ConcatOp concat = run.concat;
    SmallVector<Value> parts(concat.getIns());
    parts.erase(parts.begin() + run.first + 1, parts.begin() + run.first + run.arguments.size());
    parts[run.first] = matrix;
    if (parts.size() > 1) {
      concat.getInsMutable().assign(parts);
      return;
    }
    OpBuilder b(concat);
    if (Type type = concat.getResult(0).getType(); type != matrix.getType())
      matrix = tensor::CastOp::create(b, concat.getLoc(), type, matrix);
    concat.getResult(0).replaceAllUsesWith(matrix);
    concat.erase();
  }

  /// What is left of the features are their numbers of rows, which are the matrix's.
  static void eraseArguments(func::FuncOp function, const Run &run, Value matrix) {
    llvm::BitVector erased(function.getNumArguments());
    for (BlockArgument feature : run.arguments) {
      for (Operation *user : llvm::make_early_inc_range(feature.getUsers()))
        if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
          expand.getResult().replaceAllUsesWith(matrix); // a column's width is no tensor.dim
          expand.erase();
        }
      feature.replaceAllUsesWith(matrix);
      erased.set(feature.getArgNumber());
    }
    setTypes(function, [&](SmallVectorImpl<Type> &inputs) {
      SmallVector<Type> kept;
      for (auto [i, type] : llvm::enumerate(inputs))
        if (!erased.test(i))
          kept.push_back(type);
      inputs = kept;
    });
    (void)function.eraseArguments(erased);
  }

  void runOnOperation() override {
    apart.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (BlockArgument argument : function.getArguments()) {
        df::BindingAttr binding = bindingOf(argument);
        llvm::SmallPtrSet<Operation *, 4> concats;
        if (binding && binding.getKind() == df::BindingKind::Feature &&
            (!function->hasAttr(df::DfDialect::kRoleAttr) || !hasRows(function, argument) ||
             !isJoinedAlone(argument, concats)))
          apart.insert(binding.getName());
      }
    std::vector<Run> runs = findRuns();
    while (noteOthers(runs))
      runs = findRuns();
    llvm::MapVector<std::pair<Operation *, StringAttr>, std::vector<Run>> places; // by segment and matrix
    // The last one of a concatenation first: the places of those before it stay.
    for (const Run &run : llvm::reverse(runs))
      if (run.arguments.size() > 1)
        places[{run.concat->getParentOfType<func::FuncOp>(), run.name}].push_back(run);
    for (auto &place : places)
      join(place.second);
  }
};
} // namespace
