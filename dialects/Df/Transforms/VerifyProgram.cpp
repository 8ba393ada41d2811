// df-verify-program: whether a module as built is a program that can be run by its roles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "dialects/Df/Utils/Symbols.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFVERIFYPROGRAMPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Checks functions one after another; all errors are told.
class ProgramChecker {
public:
  explicit ProgramChecker(ModuleOp module) : module(module) {}

  LogicalResult run(bool needsRole);

private:
  InFlightDiagnostic error(Location loc) {
    failed = true;
    return emitError(loc);
  }
  bool checkStage(FunctionOp function);
  void checkRole(FunctionOp function);
  void checkArguments(FunctionOp function);
  void checkSizes(StringRef name, FunctionOp function, unsigned i);
  void checkResults(FunctionOp function);
  void checkWrites(FunctionOp function);
  void checkTrain(FunctionOp function);
  FunctionOp of(Role role) { return byRole.lookup(static_cast<int>(role)); }

  /// A feature and where it was first met.
  struct Feature {
    Type type;
    /// Of its dimensions, as far as its function tells them.
    SmallVector<std::optional<int64_t>> symbols;
    Location loc;
  };

  ModuleOp module;
  llvm::DenseMap<int, FunctionOp> byRole;
  llvm::StringMap<Feature> features;
  bool failed = false;
};

struct DfVerifyProgramPass : mlc::df::impl::DfVerifyProgramPassBase<DfVerifyProgramPass> {
  using Base = mlc::df::impl::DfVerifyProgramPassBase<DfVerifyProgramPass>;
  using Base::Base;
  void runOnOperation() override {
    if (failed(ProgramChecker(getOperation()).run(needsRole)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

/// Adds to what is known of a feature's dimensions what another function says; whether the two agree.
static bool merge(MutableArrayRef<std::optional<int64_t>> known, ArrayRef<std::optional<int64_t>> said) {
  bool ok = known.size() == said.size();
  for (auto [symbol, other] : llvm::zip(known, said)) {
    ok &= !symbol || !other || *symbol == *other;
    if (!symbol)
      symbol = other;
  }
  return ok;
}

/// Whether the runtime hands the function rows of files.
static bool readsFiles(Role role) {
  return role == Role::Train || role == Role::EvalUpdate || role == Role::Predict || role == Role::Summary;
}

/// Functions that lowering made say so.
bool ProgramChecker::checkStage(FunctionOp function) {
  Role role = function.getRole();
  bool isPart = llvm::is_contained(
      {Role::TrainGrad, Role::TrainCombine, Role::TrainApply, Role::TrainPartial, Role::TrainShared, Role::TrainUpdate},
      role);
  bool isBound = false;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    isBound |= function.getArgBinding(i) != nullptr;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    isBound |= function.getResultBinding(i) != nullptr;
  if (!isPart && !isBound && !function.getSegment())
    return true;
  error(function.getLoc()) << "@" << function.getSymName() << " is lowered already ("
                           << (isPart    ? "role " + stringifyRole(role).str()
                               : isBound ? StringRef(FunctionOp::kBindingAttr)
                                         : "segment")
                           << "); expected df as built, with one function for each role and features and outputs by "
                           << FunctionOp::kNameAttr;
  return false;
}

void ProgramChecker::checkRole(FunctionOp function) {
  if (function.getRole() == Role::Other)
    return;
  FunctionOp &known = byRole[static_cast<int>(function.getRole())];
  if (known) {
    error(function.getLoc())
            .append("@", function.getSymName(), " has role ", stringifyRole(function.getRole()),
                    ", as another function has; a program has one function of each role")
            .attachNote(known.getLoc())
        << "@" << known.getSymName() << " is here";
    return;
  }
  known = function;
}

void ProgramChecker::checkArguments(FunctionOp function) {
  Role role = function.getRole();
  if ((role == Role::Init || role == Role::EvalReset || role == Role::EvalResult) && function.getNumArguments() > 0)
    error(function.getLoc()) << "@" << function.getSymName() << " of role " << stringifyRole(role)
                             << " has arguments; it reads no features";
  llvm::StringMap<Location> seen;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    Location loc = function.getArgument(i).getLoc();
    auto name = function.getArgAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
    if (!name || name.empty()) {
      error(loc) << "argument " << i << " of @" << function.getSymName() << " has no " << FunctionOp::kNameAttr
                 << ", the feature that it is; expected {df.name = \"x\"}";
      continue;
    }
    if (auto [it, isNew] = seen.insert({name.getValue(), loc}); !isNew) {
      error(loc)
              .append("feature '", name.getValue(), "' is two arguments of @", function.getSymName())
              .attachNote(it->second)
          << "the other is here";
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type) {
      error(loc) << "feature '" << name.getValue() << "' is " << function.getArgumentTypes()[i]
                 << "; expected a tensor";
      continue;
    }
    auto [it, isNew] = features.try_emplace(name.getValue(), Feature{type, function.getArgSymbols(i), loc});
    if (!isNew && (it->second.type != type || !merge(it->second.symbols, function.getArgSymbols(i))))
      error(loc)
              .append("feature '", name.getValue(), "' is ", type, "; elsewhere it is ", it->second.type,
                      it->second.type == type ? " of other dimension symbols" : "")
              .attachNote(it->second.loc)
          << "here";
    if (readsFiles(role) && (type.getRank() == 0 || !type.isDynamicDim(0)))
      error(loc) << "feature '" << name.getValue() << "' is " << type
                 << "; expected a first dimension '?', the rows of the batch";
    else if (readsFiles(role))
      checkSizes(name.getValue(), function, i);
  }
}

/// Dimensions after the rows: static, or of symbols that say nothing of rows.
void ProgramChecker::checkSizes(StringRef name, FunctionOp function, unsigned i) {
  Location loc = function.getArgument(i).getLoc();
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
  SmallVector<std::optional<int64_t>> symbols = function.getArgSymbols(i);
  if (symbols.front() != 0 && type.getNumDynamicDims() > 1) {
    error(loc) << "feature '" << name << "' is " << type << ", the values of rows (dimension symbol "
               << *symbols.front() << "); expected static dimensions after the first";
    return;
  }
  for (int64_t d = 1; d < type.getRank(); ++d)
    if (std::optional<int64_t> symbol = symbols[d]; symbol && !isSizeOfRows(module, *symbol))
      error(loc) << "feature '" << name << "' is " << type << " whose dimension " << d << " is dimension symbol "
                 << *symbol << (*symbol == 0 ? ", the rows of the batch" : ", a number of values")
                 << "; expected a symbol that no first dimension and no df.dimension has";
}

void ProgramChecker::checkResults(FunctionOp function) {
  Role role = function.getRole();
  bool hasNone = role == Role::Init || role == Role::EvalReset;
  bool needsSome = role == Role::EvalResult || role == Role::Predict;
  auto isFetched = [&](unsigned i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
    return name && name.getValue().starts_with(names::kFetched);
  };
  if ((hasNone && function.getNumResults() > 0) ||
      (role == Role::EvalUpdate && !llvm::all_of(llvm::seq(function.getNumResults()), isFetched)))
    error(function.getLoc()) << "@" << function.getSymName() << " of role " << stringifyRole(role)
                             << " has results; nothing reads them";
  if (needsSome && function.getNumResults() == 0)
    error(function.getLoc()) << "@" << function.getSymName() << " of role " << stringifyRole(role) << " has no result";
  llvm::StringSet<> seen;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
    if (!name || name.empty()) {
      error(function.getLoc()) << "result " << i << " of @" << function.getSymName() << " has no "
                               << FunctionOp::kNameAttr << ", the name of the output; expected {df.name = \"y\"}";
      continue;
    }
    if (!seen.insert(name.getValue()).second)
      error(function.getLoc()) << "output '" << name.getValue() << "' is two results of @" << function.getSymName();
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[i]);
    if (!type)
      error(function.getLoc()) << "output '" << name.getValue() << "' of @" << function.getSymName() << " is "
                               << function.getResultTypes()[i] << "; expected a tensor";
    else if (role == Role::Predict && !isFetched(i) && (type.getRank() == 0 || !type.isDynamicDim(0)))
      error(function.getLoc()) << "prediction '" << name.getValue() << "' is " << type
                               << "; expected a first dimension '?': a prediction for each row of the batch";
  }
}

/// Evaluation and prediction leave the model as it is.
void ProgramChecker::checkWrites(FunctionOp function) {
  Role role = function.getRole();
  if (role == Role::Other || role == Role::Init || role == Role::Train)
    return;
  function.walk([&](Operation *op) {
    if (op->getNumRegions() > 0 && !isa<ApplyRowsOp>(op))
      return; // its inner ops are visited
    for (StringAttr symbol : getStateAccess(op).writes) {
      auto variable = dyn_cast_or_null<VariableOp>(SymbolTable::lookupSymbolIn(module, symbol));
      bool mayWrite = role != Role::Predict && role != Role::Summary;
      if (variable && (!mayWrite || variable.getLifetime() != Lifetime::Eval))
        error(op->getLoc()) << "@" << function.getSymName() << " of role " << stringifyRole(role) << " writes '"
                            << symbol.getValue() << "'"
                            << (mayWrite ? ", which has not lifetime eval: evaluation would change the model"
                                         : "; it may write nothing");
    }
  });
}

void ProgramChecker::checkTrain(FunctionOp function) {
  bool hasLoss = false;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
    if (!name || name.getValue() != "loss")
      continue;
    hasLoss = true;
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[i]);
    if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      error(function.getLoc()) << "the loss of @" << function.getSymName() << " is " << function.getResultTypes()[i]
                               << "; expected a scalar float (df.batch_mean makes one)";
  }
  if (!hasLoss)
    error(function.getLoc()) << "@" << function.getSymName()
                             << " of role train has no output 'loss'; expected a result {df.name = \"loss\"}";
  if (getStateAccess(function).writes.empty())
    emitWarning(function.getLoc()) << "@" << function.getSymName() << " of role train writes no variable: nothing is "
                                   << "learned";
}

LogicalResult ProgramChecker::run(bool needsRole) {
  for (auto function : module.getOps<FunctionOp>())
    if (!checkStage(function))
      return failure(); // what else is amiss follows from it
  for (auto function : module.getOps<FunctionOp>()) {
    checkRole(function);
    checkArguments(function);
    checkResults(function);
    checkWrites(function);
  }
  if (FunctionOp train = of(Role::Train))
    checkTrain(train);
  FunctionOp update = of(Role::EvalUpdate), result = of(Role::EvalResult);
  if (bool(update) != bool(result)) {
    FunctionOp found = update ? update : result;
    error(found.getLoc()) << "@" << found.getSymName() << " of role " << stringifyRole(found.getRole())
                          << " needs a function of role "
                          << stringifyRole(update ? Role::EvalResult : Role::EvalUpdate);
  }
  if (FunctionOp reset = of(Role::EvalReset); reset && !update)
    error(reset.getLoc()) << "@" << reset.getSymName() << " of role eval_reset needs a function of role eval_update";
  for (auto &entry : features)
    if (int64_t symbol = entry.second.symbols.empty() ? 0 : entry.second.symbols.front().value_or(0);
        symbol > 0 && !entry.getKey().ends_with(names::kWeight) &&
        !features.count((entry.getKey() + names::kEnds).str()))
      error(entry.second.loc) << "feature '" << entry.getKey() << "' of dimension symbol " << symbol
                              << " needs a feature '" << entry.getKey()
                              << ".ends' : tensor<?xi64>, where each row's values end";
  bool isTrainer = of(Role::Train) || of(Role::EvalUpdate) || of(Role::Predict);
  if (needsRole && !failed && !isTrainer)
    error(module.getLoc()) << "no function has a role that a trainer runs; expected attributes {role = "
                              "#df.role<train>}, eval_update or predict at one of them";
  return failure(failed);
}
