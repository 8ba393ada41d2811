// Runs of partitioned modules, and the rules of dist.send and dist.recv.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/Programs.h"
#include "Rules.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Dist/IR/Dist.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

bool Programs::isPartitioned(ModuleOp module) { return !module.getOps<dist::ProgramOp>().empty(); }

Programs::Programs(ModuleOp module, uint64_t seed) : module(module) {
  for (auto program : module.getOps<dist::ProgramOp>())
    states.emplace_back(program, State(program, seed));
}

std::vector<std::string> Programs::getEntries() const {
  std::vector<std::string> names;
  for (const auto &[program, state] : states)
    for (auto function : cast<dist::ProgramOp>(program).getOps<df::FunctionOp>())
      if (!llvm::is_contained(names, function.getSymName()))
        names.push_back(function.getSymName().str());
  return names;
}

/// The place of an argument in the uncut function; of a part written by hand its own.
static uint64_t placeOf(df::FunctionOp part, unsigned argument) {
  auto place = part.getArgAttrOfType<IntegerAttr>(argument, dist::DistDialect::kArgumentAttr);
  return place ? place.getInt() : argument;
}

std::optional<std::pair<df::FunctionOp, unsigned>> Programs::getArgument(StringRef entry, unsigned index) const {
  for (const auto &[program, state] : states)
    if (auto part = SymbolTable::lookupSymbolIn(program, entry))
      if (auto function = dyn_cast<df::FunctionOp>(part))
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          if (placeOf(function, i) == index)
            return std::pair(function, i);
  return std::nullopt;
}

namespace {
/// One part of a call.
struct Part {
  df::FunctionOp function;
  State *state;
  size_t call;
  std::vector<RuntimeValue> arguments;
  std::vector<RuntimeValue> results;
};
} // namespace

FailureOr<std::vector<std::vector<RuntimeValue>>> Programs::runTogether(ArrayRef<Call> calls, const Context &context) {
  std::vector<Part> parts;
  for (auto [number, call] : llvm::enumerate(calls)) {
    size_t first = parts.size(), taken = 0;
    for (auto &[program, state] : states) {
      auto function = dyn_cast_or_null<df::FunctionOp>(SymbolTable::lookupSymbolIn(program, call.entry));
      if (!function)
        continue;
      Part part{function, &state, number, {}, {}};
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        uint64_t place = placeOf(function, i);
        if (place >= call.arguments.size())
          return function.emitOpError("needs argument ")
                 << place << " of @" << call.entry << "; there are " << call.arguments.size();
        part.arguments.push_back(call.arguments[place]);
        ++taken;
      }
      parts.push_back(std::move(part));
    }
    if (parts.size() == first)
      return module.emitError("no program has a df.function @") << call.entry;
    if (taken != call.arguments.size())
      return parts[first].function.emitOpError("and its other parts take ")
             << taken << " arguments; found " << call.arguments.size();
  }
  std::vector<std::function<bool(Exchange::Seat &)>> runs;
  for (Part &part : parts)
    runs.push_back([&part, &context](Exchange::Seat &seat) {
      auto results = interpretAt(&seat, part.function, part.arguments, *part.state, context, /*dataError=*/nullptr);
      if (succeeded(results))
        part.results = std::move(*results);
      return succeeded(results);
    });
  std::vector<llvm::function_ref<bool(Exchange::Seat &)>> references(runs.begin(), runs.end());
  if (!Exchange().run(references))
    return failure();
  std::vector<std::vector<RuntimeValue>> results(calls.size());
  for (Part &part : parts)
    llvm::append_range(results[part.call], part.results);
  return results;
}

FailureOr<std::vector<RuntimeValue>> Programs::run(const Call &call, const Context &context) {
  auto results = runTogether(call, context);
  if (failed(results))
    return failure();
  return std::move(results->front());
}

const Tensor *Programs::lookup(StringRef variable) const {
  for (const auto &[program, state] : states)
    if (const Tensor *value = state.lookup(variable))
      return value;
  return nullptr;
}

std::map<std::string, Tensor, std::less<>> Programs::getVariables() const {
  std::map<std::string, Tensor, std::less<>> all;
  for (const auto &[program, state] : states)
    all.insert(state.getVariables().begin(), state.getVariables().end());
  return all;
}

void Programs::setFloatSetting(StringRef path, double value) {
  for (auto &[program, state] : states)
    state.setFloatSetting(path, value);
}

void Programs::setIntegerSetting(StringRef path, int64_t value) {
  for (auto &[program, state] : states)
    state.setIntegerSetting(path, value);
}

//===-- messages ------------------------------------------------------------------------===//

static LogicalResult evaluateSend(dist::SendOp op, Frame &frame) {
  if (!frame.seat)
    return op.emitOpError("is run alone: nobody receives; run all programs of the module");
  std::vector<RuntimeValue> message;
  for (Value value : op.getValues())
    message.push_back(frame.get(value));
  frame.seat->channel(op.getChannel()).push_back(std::move(message));
  return success();
}

static LogicalResult evaluateRecv(dist::RecvOp op, Frame &frame) {
  if (!frame.seat)
    return op.emitOpError("is run alone: nobody sends; run all programs of the module");
  auto &messages = frame.seat->channel(op.getChannel());
  Exchange::Wait wait = frame.waitUntil([&] { return !messages.empty(); });
  if (wait == Exchange::Wait::Forever)
    return op.emitOpError("waits for ever: channel ")
           << op.getChannel() << " has no message and nobody is left to send";
  if (wait == Exchange::Wait::Stopped)
    return failure(); // told where it failed
  for (auto [result, value] : llvm::zip_equal(op.getValues(), messages.front()))
    if (failed(frame.set(result, std::move(value))))
      return failure();
  messages.pop_front();
  return success();
}

void mlc::interp::addProgramRules(RuleTable &table) {
  table.add<dist::SendOp>(evaluateSend);
  table.add<dist::RecvOp>(evaluateRecv);
}
