// Random df programs: a pool of typed values that ops are drawn for, one after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomProgram.h"
#include "OpTemplates.h"
#include "dialects/Df/IR/Df.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "test/Unit/compiler/Execute/RandomValues.h"

#include <map>
#include <set>

using namespace mlc;
using namespace mlc::random;
using execute::RandomValues;
using interp::ElementKind;

static const ElementKind kNumberKinds[] = {ElementKind::F32, ElementKind::F64,  ElementKind::F16,  ElementKind::BF16,
                                           ElementKind::I8,  ElementKind::I16,  ElementKind::I32,  ElementKind::I64,
                                           ElementKind::UI8, ElementKind::UI16, ElementKind::UI32, ElementKind::UI64,
                                           ElementKind::I1};

static mlir::Type typeOf(ElementKind kind, mlir::MLIRContext &context) {
  mlir::Builder builder(&context);
  switch (kind) {
  case ElementKind::F16:
    return builder.getF16Type();
  case ElementKind::BF16:
    return builder.getBF16Type();
  case ElementKind::F32:
    return builder.getF32Type();
  case ElementKind::F64:
    return builder.getF64Type();
  default:
    return mlir::IntegerType::get(&context, interp::integerWidth(kind),
                                  interp::isUnsignedKind(kind) ? mlir::IntegerType::Unsigned
                                                               : mlir::IntegerType::Signless);
  }
}

std::vector<ElementwiseOp> mlc::random::findElementwiseOps(mlir::MLIRContext &context) {
  std::vector<ElementwiseOp> found;
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "df" || !name.hasTrait<mlir::OpTrait::Elementwise>() ||
        !name.hasTrait<mlir::OpTrait::SameOperandsAndResultType>())
      continue;
    ElementwiseOp op{name.getStringRef().str(), 0, {}, false};
    op.differentiable =
        name.hasInterface<df::DifferentiableOpInterface>() || name.hasInterface<df::DecomposableOpInterface>();
    for (unsigned count = 1; count <= 3 && op.kinds.empty(); ++count)
      for (ElementKind kind : kNumberKinds) {
        auto type = mlir::RankedTensorType::get({3}, typeOf(kind, context));
        mlir::Block block;
        mlir::OperationState state(mlir::UnknownLoc::get(&context), name);
        for (unsigned i = 0; i < count; ++i)
          state.operands.push_back(block.addArgument(type, state.location));
        state.types.push_back(type);
        mlir::Operation *made = mlir::Operation::create(state);
        if (mlir::succeeded(mlir::verify(made, /*verifyRecursively=*/false))) {
          op.numOperands = count;
          op.kinds.push_back(kind);
        }
        made->destroy();
      }
    if (!op.kinds.empty())
      found.push_back(std::move(op));
  }
  return found;
}

namespace {

/// A value of the program.
struct Value {
  std::string name;
  ElementKind kind;
  /// Static sizes; -1 for the rows of the batch, below that a number for each size that data decides.
  std::vector<int64_t> shape;
  /// If positive: an i64 in [0, bound).
  int64_t bound = 0;
};

std::string shapeText(llvm::ArrayRef<int64_t> shape, ElementKind kind) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + interp::kindName(kind).str() + ">";
}

std::string typeText(const Value &value) { return shapeText(value.shape, value.kind); }

bool isFloat(ElementKind kind) { return interp::isFloatKind(kind); }

/// Ops that are not smooth, for gradients; all others of floats are.
const std::set<std::string> kKinks = {
    "df.abs",   "df.sign",  "df.relu",         "df.floor",      "df.ceil",      "df.round",     "df.trunc",    "df.rem",
    "df.clamp", "df.relu6", "df.hard_sigmoid", "df.hard_swish", "df.hard_tanh", "df.floor_mod", "df.floor_div"};

/// Functions whose operand must be brought into their domain, or that grow fast: what is made of it first.
enum class Domain { Any, Unit, Positive, AboveOne, Small };
const std::map<std::string, Domain> kDomains = {
    {"df.log", Domain::Positive},        {"df.log1p", Domain::Positive},
    {"df.log2", Domain::Positive},       {"df.sqrt", Domain::Positive},
    {"df.rsqrt", Domain::Positive},      {"df.reciprocal", Domain::Positive},
    {"df.cbrt", Domain::Positive},       {"df.asin", Domain::Unit},
    {"df.acos", Domain::Unit},           {"df.atanh", Domain::Unit},
    {"df.acosh", Domain::AboveOne},      {"df.exp", Domain::Small},
    {"df.exp2", Domain::Small},          {"df.expm1", Domain::Small},
    {"df.sinh", Domain::Small},          {"df.cosh", Domain::Small},
    {"df.tan", Domain::Small},           {"df.square", Domain::Small},
    {"df.mul", Domain::Small},           {"df.squared_difference", Domain::Small},
    {"df.div", Domain::Positive},        {"df.pow", Domain::Positive},
    {"df.lgamma", Domain::Positive},     {"df.digamma", Domain::Positive},
    {"df.div_no_nan", Domain::Positive}, {"df.xlogy", Domain::Positive},
    {"df.atan2", Domain::Positive},      {"df.maximum", Domain::Any}};

class Writer {
public:
  Writer(uint32_t seed, Mode mode, const std::vector<ElementwiseOp> &ops, const std::string &function)
      : random(seed), mode(mode), ops(ops), function(function) {}

  std::string write() {
    addVariables();
    addArguments();
    int64_t count = mode == Mode::Smooth ? 4 + random.below(8) : 6 + random.below(18);
    for (int64_t i = 0; i < count; ++i)
      addOp(/*depth=*/0);
    return finish();
  }

private:
  std::string fresh() { return "%v" + std::to_string(next++); }
  ElementKind anyKind() {
    if (mode == Mode::Smooth)
      return ElementKind::F64;
    return random.below(2) ? ElementKind::F32 : kNumberKinds[random.below(std::size(kNumberKinds))];
  }
  Value add(Value value, const std::string &line) {
    value.name = fresh();
    body += value.name + " = " + line + "\n";
    return value;
  }
  const Value &keep(Value value) {
    pool.push_back(std::move(value));
    return pool.back();
  }
  /// A value that `fits`, late ones more often, or null.
  const Value *pick(llvm::function_ref<bool(const Value &)> fits) {
    std::vector<const Value *> found;
    for (const Value &value : pool)
      if (fits(value))
        found.push_back(&value);
    if (found.empty())
      return nullptr;
    size_t n = found.size();
    return found[random.below(2) ? n - 1 - random.below(std::min<size_t>(n, 4)) : random.below(n)];
  }
  /// What a region yields: mostly what it computed last.
  Value result(const Value &other) {
    if (random.below(4))
      for (const Value &value : llvm::reverse(pool))
        if (value.kind == other.kind && value.shape == other.shape)
          return value;
    return *pickLike(other);
  }
  const Value *pickLike(const Value &other) {
    return pick([&](const Value &value) { return value.kind == other.kind && value.shape == other.shape; });
  }
  Value unary(const std::string &op, const Value &x) {
    return add({"", x.kind, x.shape}, "\"" + op + "\"(" + x.name + ") : (" + typeText(x) + ") -> " + typeText(x));
  }
  Value binary(const std::string &op, const Value &x, const Value &y) {
    return add({"", x.kind, x.shape}, "\"" + op + "\"(" + x.name + ", " + y.name + ") : (" + typeText(x) + ", " +
                                          typeText(y) + ") -> " + typeText(x));
  }
  Value cast(const Value &x, ElementKind kind) {
    Value result{"", kind, x.shape};
    return add(result, "df.cast " + x.name + " : (" + typeText(x) + ") -> " + typeText(result));
  }
  Value compare(const std::string &predicate, const Value &x, const Value &y) {
    Value result{"", ElementKind::I1, x.shape};
    return add(result, "df.compare " + predicate + ", " + x.name + ", " + y.name + " : (" + typeText(x) + ", " +
                           typeText(y) + ") -> " + typeText(result));
  }
  Value select(const Value &mask, const Value &x, const Value &y) {
    return add({"", x.kind, x.shape}, "df.select " + mask.name + ", " + x.name + ", " + y.name + " : (" +
                                          typeText(mask) + ", " + typeText(x) + ", " + typeText(y) + ") -> " +
                                          typeText(x));
  }
  /// Small integers of a float's kind: their sums and those of their products are exact.
  Value small(const Value &x) {
    if (!isFloat(x.kind) || mode != Mode::Exact)
      return x;
    return binary("df.add", unary("df.sign", x), unary("df.round", unary("df.tanh", x)));
  }
  /// An integer divisor: 1 where it is 0.
  Value nonzero(const Value &x) {
    Value isZero = compare("eq", x, binary("df.sub", x, x));
    return select(isZero, cast(isZero, x.kind), x);
  }
  Value inDomain(const Value &x, Domain domain) {
    if (mode != Mode::Smooth || domain == Domain::Any)
      return x;
    Value unit = unary("df.tanh", x);
    if (domain == Domain::Small)
      return unit;
    if (domain == Domain::Unit)
      return unary("df.sin", unary("df.tanh", unit));
    // Above 1.5, or 3.1.
    Value grown = unary("df.cosh", unit);
    Value above = binary("df.add", grown, unary("df.sigmoid", x));
    return domain == Domain::AboveOne ? binary("df.add", above, grown) : above;
  }

  void addVariables() {
    std::vector<std::pair<ElementKind, std::vector<int64_t>>> types = {
        {ElementKind::F32, {4, 6}}, {ElementKind::F64, {6}}, {ElementKind::I64, {4, 6}}, {ElementKind::F32, {}}};
    if (mode == Mode::Smooth)
      types = {{ElementKind::F64, {4, 6}}, {ElementKind::F64, {6}}};
    for (auto &[kind, shape] : types) {
      Value value{"@" + function + "_w" + std::to_string(variables.size()), kind, shape};
      state += "df.variable " + value.name + " : " + typeText(value) +
               (isFloat(kind) ? " = #df.normal<0.0, 1.0>\n" : " = #df.constant<3.0>\n");
      variables.push_back(value);
    }
  }

  void addArguments() {
    std::vector<std::vector<int64_t>> shapes = {{-1, 6}, {-1, 6}, {-1}, {6}, {4, 6}, {6, 6}, {}, {-1, 2, 3}, {4}};
    std::string list;
    auto argument = [&](ElementKind kind, const std::vector<int64_t> &shape) {
      unsigned place = pool.size();
      Value value{"%x" + std::to_string(place), kind, shape};
      arguments += (place ? ", " : "") + value.name + ": " + typeText(value) + " {df.name = \"" + function + "/x" +
                   std::to_string(place) + "\"}";
      pool.push_back(value);
    };
    for (auto &shape : shapes)
      argument(mode == Mode::Smooth ? ElementKind::F64 : ElementKind::F32, shape);
    if (mode == Mode::Smooth)
      return;
    argument(ElementKind::I1, {});
    for (int i = 0; i < 5; ++i)
      argument(anyKind(), shapes[random.below(shapes.size())]);
    argument(ElementKind::I64, {-1});
  }

  void addOp(int depth) {
    switch (random.below(depth >= 3 ? 16 : 20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return addElementwise();
    case 6:
      return addChoice();
    case 7:
      return mode == Mode::Smooth ? addElementwise() : addCast();
    case 8:
      return addState();
    case 9:
      return addBroadcast();
    case 10:
      return mode == Mode::Smooth ? addTemplate() : addTake();
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
      return addTemplate();
    case 16:
      return addBranch(depth);
    case 17:
      return addLoop(depth);
    case 18:
      return addScan(depth);
    default:
      return addCheckpoint(depth);
    }
  }

  void addElementwise() {
    const ElementwiseOp &op = ops[random.below(ops.size())];
    if (mode == Mode::Smooth && (!op.differentiable || kKinks.count(op.name)))
      return;
    const Value *first = pick([&](const Value &value) { return llvm::is_contained(op.kinds, value.kind); });
    if (!first)
      return;
    auto domain = kDomains.find(op.name);
    std::vector<Value> operands = {*first};
    for (unsigned i = 1; i < op.numOperands; ++i)
      operands.push_back(*pickLike(operands[0]));
    static const std::set<std::string> divisions = {"df.div", "df.rem", "df.floor_mod", "df.floor_div"};
    if (divisions.count(op.name) && !isFloat(operands[0].kind))
      operands[1] = nonzero(operands[1]);
    std::string names, types;
    for (Value &value : operands) {
      value = inDomain(value, domain == kDomains.end() ? Domain::Any : domain->second);
      names += (names.empty() ? "" : ", ") + value.name;
      types += (types.empty() ? "" : ", ") + typeText(value);
    }
    keep(add({"", operands[0].kind, operands[0].shape},
             "\"" + op.name + "\"(" + names + ") : (" + types + ") -> " + typeText(operands[0])));
  }

  void addChoice() {
    const Value *x = pick([&](const Value &value) { return value.kind != ElementKind::I1; });
    if (!x)
      return;
    Value first = *x, second = *pickLike(first);
    static const char *const predicates[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    if (mode == Mode::Smooth)
      return; // a decision is a kink
    Value mask = compare(predicates[random.below(6)], first, second);
    keep(mask);
    if (const Value *y = pick([&](const Value &value) { return value.shape == mask.shape; })) {
      Value left = *y, right = *pickLike(left);
      keep(select(mask, left, right));
    }
  }

  void addCast() {
    const Value *x = pick([](const Value &) { return true; });
    keep(cast(Value(*x), anyKind()));
  }

  void addState() {
    const Value &variable = variables[random.below(variables.size())];
    if (random.below(2) == 0) {
      keep(add({"", variable.kind, variable.shape}, "df.read " + variable.name + " : " + typeText(variable)));
      return;
    }
    // The gradient of what is assigned and read again is the variable's old one.
    const Value *value = mode == Mode::Smooth ? nullptr : pickLike(variable);
    static const char *const assigns[] = {"assign", "assign_add", "assign_sub"};
    if (value)
      body += std::string("df.") + assigns[random.below(3)] + " " + variable.name + ", " + value->name + " : " +
              typeText(variable) + "\n";
  }

  void addBroadcast() {
    const Value *large = pick([](const Value &value) { return value.shape.size() >= 1; });
    if (!large)
      return;
    Value like = *large;
    size_t dimension = random.below(like.shape.size());
    const Value *x = pick([&](const Value &value) {
      return value.kind == like.kind && value.shape.size() == 1 && value.shape[0] == like.shape[dimension];
    });
    if (!x)
      return;
    keep(add({"", like.kind, like.shape}, "df.broadcast " + x->name + " like " + like.name + " dimensions = [" +
                                              std::to_string(dimension) + "] : (" + typeText(*x) + ", " +
                                              typeText(like) + ") -> " + typeText(like)));
  }

  /// Rows at indices that are known to be within bounds.
  void addTake() {
    const Value *index = pick([](const Value &value) { return value.bound > 0 && value.shape.size() == 1; });
    if (!index)
      return;
    Value at = *index;
    const Value *x = pick([&](const Value &value) { return !value.shape.empty() && value.shape[0] >= at.bound; });
    if (!x)
      return;
    Value result{"", x->kind, x->shape};
    result.shape[0] = at.shape[0];
    keep(add(result, "df.take " + x->name + ", " + at.name + " {axis = 0 : i64, batch_dims = 0 : i64} : (" +
                         typeText(*x) + ", " + typeText(at) + ") -> " + typeText(result)));
  }

  /// An op of the table on values that match its pattern.
  void addTemplate() {
    const OpTemplate &which = opTemplates()[random.below(opTemplates().size())];
    bool approximate = which.flags & kApproximate, sums = which.flags & kSums;
    if (mode == Mode::Smooth && !(which.flags & kSmooth))
      return;
    if (approximate && mode == Mode::Exact)
      return;
    std::map<char, int64_t> sizes;
    std::vector<Value> operands;
    for (const char *pattern : which.operands) {
      const Value *found = pick([&](const Value &value) { return matches(pattern, value, sizes, operands); });
      if (!found)
        return;
      bind(pattern, *found, sizes);
      operands.push_back(*found);
    }
    std::vector<Value> results;
    int64_t unknown = nextUnknown;
    for (const char *pattern : which.results)
      results.push_back(resultOf(pattern, operands, sizes, unknown));
    nextUnknown = unknown;
    // Before they are made small: the sum itself, to be compared within a bound.
    if (sums && mode == Mode::Exact && isFloat(operands[0].kind) && operands.size() == 1 &&
        llvm::StringRef(which.text).starts_with("df.reduce_sum") && !inRegion && sumOutputs.size() < 4 &&
        (operands[0].kind == ElementKind::F32 || operands[0].kind == ElementKind::F64)) {
      Value sum = emit(which, operands, results)[0];
      Value magnitude = emit(which, {unary("df.abs", operands[0])}, results)[0];
      sumOutputs.emplace_back(sum, magnitude);
    }
    if (sums)
      for (Value &operand : operands)
        operand = small(operand);
    for (Value &value : emit(which, operands, results))
      keep(value);
  }

  std::vector<Value> emit(const OpTemplate &which, llvm::ArrayRef<Value> operands, std::vector<Value> results) {
    std::string text, operandTypes, resultTypes;
    for (const char *c = which.text; *c; ++c)
      if (*c == '$')
        text += operands[*++c - '0'].name;
      else
        text += *c;
    for (const Value &value : operands)
      operandTypes += (operandTypes.empty() ? "" : ", ") + typeText(value);
    for (const Value &value : results)
      resultTypes += (resultTypes.empty() ? "" : ", ") + typeText(value);
    std::string names;
    for (Value &value : results) {
      value.name = fresh();
      names += (names.empty() ? "" : ", ") + value.name;
    }
    if (which.flags & kTypeOnly)
      body += names + " = " + text + " : " + resultTypes + "\n";
    else
      body += names + " = " + text + " : (" + operandTypes + ") -> (" + resultTypes + ")\n";
    return results;
  }

  bool kindMatches(char c, ElementKind kind, llvm::ArrayRef<Value> operands) {
    switch (c) {
    case 'F':
      return isFloat(kind);
    case 'S': // floats and signed integers
      return kind != ElementKind::I1 && !interp::isUnsignedKind(kind);
    case 'N':
      return kind != ElementKind::I1;
    case 'B':
      return kind == ElementKind::I1;
    case 'I':
    case 'X':
      return kind == ElementKind::I64;
    case 'T':
      return true;
    case '=':
      return kind == operands[0].kind;
    }
    return false;
  }
  /// "F:ab": kind, then a size for each letter; upper-case letters are static, digits that size.
  bool matches(const char *pattern, const Value &value, std::map<char, int64_t> sizes, llvm::ArrayRef<Value> operands) {
    llvm::StringRef letters(pattern + 2);
    if (!kindMatches(pattern[0], value.kind, operands) || value.shape.size() != letters.size())
      return false;
    if (pattern[0] == 'X' && (value.bound <= 0 || value.bound > value.shape.back()))
      return false;
    for (auto [c, size] : llvm::zip(letters, value.shape)) {
      if (isdigit(c) ? size != c - '0' : isupper(c) && size < 0)
        return false;
      auto [it, isNew] = sizes.insert({c, size});
      if (!isNew && it->second != size)
        return false;
    }
    return true;
  }
  void bind(const char *pattern, const Value &value, std::map<char, int64_t> &sizes) {
    for (auto [c, size] : llvm::zip(llvm::StringRef(pattern + 2), value.shape))
      sizes.insert({c, size});
  }
  /// Beside letters of operands: '?' is a size that data decides, the same one for all results.
  Value resultOf(const char *pattern, llvm::ArrayRef<Value> operands, const std::map<char, int64_t> &sizes,
                 int64_t &unknown) {
    Value value;
    switch (pattern[0]) {
    case '=':
      value.kind = operands[0].kind;
      break;
    case 'B':
      value.kind = ElementKind::I1;
      break;
    default:
      value.kind = ElementKind::I64;
    }
    bool used = false;
    for (char c : llvm::StringRef(pattern + 2)) {
      if (c == '?') {
        value.shape.push_back(unknown);
        used = true;
      } else if (c == '!') { // bound by the size of the next letter, which is no dimension
        break;
      } else {
        value.shape.push_back(isdigit(c) ? c - '0' : sizes.at(c));
      }
    }
    auto at = llvm::StringRef(pattern).find('!');
    if (at != llvm::StringRef::npos) {
      char c = pattern[at + 1];
      value.bound = std::max<int64_t>(isdigit(c) ? c - '0' : sizes.at(c), 0);
    }
    if (used && nextUnknown == unknown)
      --unknown;
    return value;
  }

  /// Ops in a region of its own that yields `values`; values of it are not seen outside.
  std::string yieldOf(llvm::ArrayRef<Value> values) {
    std::string names, types;
    for (const Value &value : values) {
      names += (names.empty() ? " " : ", ") + value.name;
      types += (types.empty() ? " : " : ", ") + typeText(value);
    }
    return "df.yield" + names + types + "\n";
  }
  void fillRegion(int depth) {
    ++inRegion;
    for (int64_t i = 0, n = 1 + random.below(4); i < n; ++i)
      addOp(depth + 1);
    --inRegion;
  }

  void addBranch(int depth) {
    const Value *condition =
        pick([](const Value &value) { return value.kind == ElementKind::I1 && value.shape.empty(); });
    const Value *x = pick([](const Value &value) { return true; });
    if (!condition || !x)
      return;
    Value which = *condition, like = *x;
    like.bound = 0;
    std::string head = fresh();
    body += head + " = df.if " + which.name + " : (tensor<i1>) -> " + typeText(like) + " {\n";
    for (int branch = 0; branch < 2; ++branch) {
      size_t outside = pool.size();
      fillRegion(depth);
      body += yieldOf({result(like)}) + (branch ? "}\n" : "} else {\n");
      pool.resize(outside);
    }
    like.name = head;
    keep(like);
  }

  void addLoop(int depth) {
    const Value *x = pick([](const Value &) { return true; });
    Value like = *x;
    like.bound = 0;
    const Value *y = pickLike(like);
    std::string type = typeText(like), first = fresh(), second = fresh(), a = fresh(), b = fresh(), go = fresh();
    body += first + ", " + second + " = df.while (" + like.name + ", " + y->name +
            ") {max_iterations = " + std::to_string(random.below(4)) + " : i64} : (" + type + ", " + type + ") -> (" +
            type + ", " + type + ") {\n^bb0(" + a + ": " + type + ", " + b + ": " + type + "):\n" + go +
            " = df.constant dense<true> : tensor<i1>\ndf.condition " + go + " : tensor<i1>\n} do {\n";
    Value left{fresh(), like.kind, like.shape}, right{fresh(), like.kind, like.shape};
    body += "^bb0(" + left.name + ": " + type + ", " + right.name + ": " + type + "):\n";
    size_t outside = pool.size();
    keep(left);
    keep(right);
    fillRegion(depth);
    Value last = result(like), other = *pickLike(like);
    body += yieldOf({last, other}) + "}\n";
    pool.resize(outside);
    left.name = first;
    right.name = second;
    keep(left);
    keep(right);
  }

  void addScan(int depth) {
    const Value *sequence = pick([](const Value &value) { return !value.shape.empty(); });
    const Value *init = pick([](const Value &) { return true; });
    if (!sequence)
      return;
    Value rows = *sequence, carried = *init;
    carried.bound = 0;
    Value row{"", rows.kind, {rows.shape.begin() + 1, rows.shape.end()}};
    std::string last = fresh(), stacked = fresh();
    row.name = fresh();
    Value argument = carried;
    argument.name = fresh();
    body += last + ", " + stacked + " = df.scan (" + carried.name + ") over (" + rows.name + ")" +
            (random.below(3) == 0 ? " {reverse}" : "") + " : (" + typeText(carried) + ", " + typeText(rows) + ") -> (" +
            typeText(carried) + ", " + typeText(rows) + ") {\n^bb0(" + argument.name + ": " + typeText(argument) +
            ", " + row.name + ": " + typeText(row) + "):\n";
    size_t outside = pool.size();
    keep(argument);
    keep(row);
    fillRegion(depth);
    Value nextCarried = result(argument), nextRow = result(row);
    body += yieldOf({nextCarried, nextRow}) + "}\n";
    pool.resize(outside);
    carried.name = last;
    rows.name = stacked;
    rows.bound = 0;
    keep(carried);
    keep(rows);
  }

  void addCheckpoint(int depth) {
    const Value *x = pick([](const Value &) { return true; });
    Value like = *x;
    like.bound = 0;
    std::string head = fresh();
    body += head + " = df.checkpoint : () -> " + typeText(like) + " {\n";
    size_t outside = pool.size();
    // Its region writes no state.
    ++inRegion;
    for (int64_t i = 0, n = 1 + random.below(4); i < n; ++i)
      random.below(2) ? addElementwise() : addTemplate();
    --inRegion;
    body += yieldOf({result(like)}) + "}\n";
    pool.resize(outside);
    like.name = head;
    keep(like);
  }

  std::string finish() {
    if (mode == Mode::Smooth)
      return finishLoss();
    std::string names, types, results;
    auto output = [&](const Value &value, const std::string &name) {
      names += (names.empty() ? "" : ", ") + value.name;
      types += (types.empty() ? "" : ", ") + typeText(value);
      results += (results.empty() ? "" : ", ") + typeText(value) + " {df.name = \"" + name + "\"}";
    };
    // What is computed last uses most of what was computed before.
    size_t most = std::min<size_t>(pool.size(), 6);
    for (size_t i = 0; i < most; ++i)
      output(pool[pool.size() - 1 - i], "y" + std::to_string(i));
    for (auto [i, pair] : llvm::enumerate(sumOutputs)) {
      output(pair.first, "sum" + std::to_string(i));
      output(pair.second, "magnitude" + std::to_string(i));
    }
    return state + "df.function @" + function + "(" + arguments + ") -> (" + results + ") {\n" + body + "df.return " +
           names + " : " + types + "\n}\n";
  }

  /// The sum of what was computed last.
  std::string finishLoss() {
    Value loss;
    int terms = 0;
    for (size_t i = pool.size(); i-- > 0 && terms < 4;) {
      Value bounded = unary("df.tanh", pool[i]), part = bounded;
      if (!bounded.shape.empty()) {
        std::string axes;
        for (size_t d = 0; d < bounded.shape.size(); ++d)
          axes += (d ? ", " : "") + std::to_string(d);
        part = add({"", ElementKind::F64, {}}, "df.reduce_sum " + bounded.name + " {axes = array<i64: " + axes +
                                                   ">} : (" + typeText(bounded) + ") -> tensor<f64>");
      }
      loss = terms++ ? binary("df.add", loss, part) : part;
    }
    return state + "df.function @" + function + "(" + arguments + ") -> (tensor<f64> {df.name = \"loss\"}) {\n" + body +
           "df.return " + loss.name + " : tensor<f64>\n}\n";
  }

  RandomValues random;
  Mode mode;
  const std::vector<ElementwiseOp> &ops;
  std::string function;
  std::string state, arguments, body;
  int64_t next = 0, nextUnknown = -2;
  int inRegion = 0;
  std::vector<Value> pool, variables;
  std::vector<std::pair<Value, Value>> sumOutputs;
};

} // namespace

std::string mlc::random::writeProgram(uint32_t seed, Mode mode, const std::vector<ElementwiseOp> &ops,
                                      const std::string &name) {
  return Writer(seed, mode, ops, name).write();
}

interp::Tensor mlc::random::argumentValue(unsigned place, ElementKind kind, llvm::ArrayRef<int64_t> shape, int64_t rows,
                                          Mode mode) {
  RandomValues random(1000 * static_cast<uint32_t>(rows) + place);
  std::vector<int64_t> sizes(shape);
  for (int64_t &size : sizes)
    size = size < 0 ? rows : size;
  if (isFloat(kind))
    return random.floats(kind, sizes, mode == Mode::Smooth ? -1 : -3, mode == Mode::Smooth ? 1 : 3);
  if (kind == ElementKind::I1)
    return random.integers(kind, sizes, 0, 2);
  return random.integers(kind, sizes, interp::isUnsignedKind(kind) ? 0 : -20, interp::isUnsignedKind(kind) ? 256 : 100);
}
