// Random df programs: a pool of typed values that ops are drawn for, one after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomProgram.h"
#include "OpTemplates.h"
#include "ProgramText.h"

#include <map>
#include <set>

using namespace mlc;
using namespace mlc::random;
using execute::RandomValues;
using interp::ElementKind;

namespace {

/// Ops that are not smooth, for gradients; all others of floats are.
const std::set<std::string> kKinks = {"df.abs", "df.sign", "df.relu", "df.floor", "df.ceil", "df.round", "df.trunc",
                                      "df.rem", "df.clamp", "df.relu6", "df.hard_sigmoid", "df.hard_swish",
                                      "df.hard_tanh", "df.floor_mod", "df.floor_div",
                                      // Differences do not stop there.
                                      "df.stop_gradient"};

/// Functions whose operand must be brought into their domain, or that grow fast: what is made of it first.
enum class Domain { Any, Unit, Positive, AboveOne, Small };
const std::map<std::string, Domain> kDomains = {{"df.log", Domain::Positive},
                                                {"df.log1p", Domain::Positive},
                                                {"df.log2", Domain::Positive},
                                                {"df.sqrt", Domain::Positive},
                                                {"df.rsqrt", Domain::Positive},
                                                {"df.reciprocal", Domain::Positive},
                                                {"df.cbrt", Domain::Positive},
                                                {"df.asin", Domain::Unit},
                                                {"df.acos", Domain::Unit},
                                                {"df.atanh", Domain::Unit},
                                                {"df.acosh", Domain::AboveOne},
                                                {"df.erf_inv", Domain::Unit},
                                                {"df.exp", Domain::Small},
                                                {"df.exp2", Domain::Small},
                                                {"df.expm1", Domain::Small},
                                                {"df.sinh", Domain::Small},
                                                {"df.cosh", Domain::Small},
                                                {"df.tan", Domain::Small},
                                                {"df.square", Domain::Small},
                                                {"df.mul", Domain::Small},
                                                {"df.squared_difference", Domain::Small},
                                                {"df.div", Domain::Positive},
                                                {"df.pow", Domain::Positive},
                                                {"df.lgamma", Domain::Positive},
                                                {"df.digamma", Domain::Positive},
                                                {"df.div_no_nan", Domain::Positive},
                                                {"df.xlogy", Domain::Positive},
                                                {"df.atan2", Domain::Positive},
                                                {"df.maximum", Domain::Any},
                                                {"df.igamma", Domain::Positive},
                                                {"df.igammac", Domain::Positive},
                                                {"df.igamma_grad_a", Domain::Positive}};

class Writer : ProgramText {
public:
  Writer(uint32_t seed, Mode mode, const std::vector<ElementwiseOp> &ops, const std::string &function)
      : ProgramText(seed), mode(mode), ops(ops), function(function) {}

  std::string write() {
    addVariables();
    addArguments();
    int64_t count = isSmooth(mode) ? 4 + random.below(8) : 6 + random.below(18);
    for (int64_t i = 0; i < count; ++i)
      addOp(/*depth=*/0);
    return finish();
  }

private:
  ElementKind anyKind() {
    static const ElementKind halves[] = {ElementKind::F32, ElementKind::F16, ElementKind::BF16};
    if (mode == Mode::HalfGradients)
      return halves[random.below(3)];
    if (isSmooth(mode))
      return ElementKind::F64;
    return random.below(2) ? ElementKind::F32 : kNumberKinds[random.below(std::size(kNumberKinds))];
  }
  /// What a region yields: mostly what it computed last.
  Value result(const Value &other) {
    if (random.below(4))
      for (const Value &value : llvm::reverse(pool))
        if (value.kind == other.kind && value.shape == other.shape)
          return value;
    return *pickLike(other);
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
    if (!isSmooth(mode) || domain == Domain::Any)
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
    if (isSmooth(mode))
      types = {{anyKind(), {4, 6}}, {anyKind(), {6}}};
    for (auto &[kind, shape] : types) {
      Value value{"@" + function + "_w" + std::to_string(variables.size()), kind, shape};
      state += "df.variable " + value.name + " : " + typeText(value) +
               (isFloat(kind) ? " = #df.normal<0.0, 1.0>\n" : " = #df.constant<3.0>\n");
      variables.push_back(value);
    }
  }

  void addArguments() {
    std::vector<std::vector<int64_t>> shapes = {{-1, 6}, {-1, 6},    {-1}, {6},     {4, 6}, {6, 6},
                                                {},      {-1, 2, 3}, {4},  {-1, 1}, {1, 6}, {0, 6}};
    std::string list;
    auto argument = [&](ElementKind kind, const std::vector<int64_t> &shape) {
      unsigned place = pool.size();
      Value value{"%x" + std::to_string(place), kind, shape};
      arguments += (place ? ", " : "") + value.name + ": " + typeText(value) + " {df.name = \"" + function + "/x" +
                   std::to_string(place) + "\"}";
      pool.push_back(value);
      inputs.push_back(value);
    };
    for (auto &shape : shapes)
      argument(isSmooth(mode) ? anyKind() : ElementKind::F32, shape);
    argument(ElementKind::I64, {});
    argument(ElementKind::I64, {-1});
    if (isSmooth(mode))
      return;
    argument(ElementKind::I1, {});
    for (int i = 0; i < 5; ++i)
      argument(anyKind(), shapes[random.below(shapes.size())]);
  }

  void addOp(int depth) {
    switch (random.below(depth >= 3 ? 20 : 24)) {
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
      return isSmooth(mode) ? addElementwise() : addCast();
    case 8:
      return addState();
    case 9:
      return addBroadcast();
    case 10:
      return isSmooth(mode) ? addTemplate() : addTake();
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
      return addTemplate();
    case 16:
      return addProductWithEpilogue();
    case 17:
      return addConvolution();
    case 18:
      return inRegion ? addTemplate() : addRowsAtAnyIds();
    case 19:
      return addCastOfHalf();
    case 20:
      return addBranch(depth);
    case 21:
      return addLoop(depth);
    case 22:
      return addScan(depth);
    default:
      return addCheckpoint(depth);
    }
  }

  void addElementwise() {
    const ElementwiseOp &op = ops[random.below(ops.size())];
    if (isSmooth(mode) && (!op.differentiable || kKinks.count(op.name)))
      return;
    const Value *first = pick([&](const Value &value) {
      return llvm::is_contained(op.kinds, value.kind) && (!isSmooth(mode) || isFloat(value.kind));
    });
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
    if (isSmooth(mode))
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
    const Value *value = isSmooth(mode) ? nullptr : pickLike(variable);
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
    keep(add(result, "df.gather " + x->name + ", " + at.name + " {axes = array<i64: 0>} : (" + typeText(*x) + ", " +
                         typeText(at) + ") -> " + typeText(result)));
  }

  /// An i64 scalar of the pool, or one that is made.
  Value anyInteger() {
    const Value *x = pick([](const Value &value) { return value.kind == ElementKind::I64 && value.shape.empty(); });
    return x ? *x : integer(static_cast<int64_t>(random.below(5)));
  }
  /// A product and, element by element, what lies with gaps in memory: every second column, the middle of a pad with
  /// gaps, or what a transpose that may change nothing gives.
  void addProductWithEpilogue() {
    auto isMatrix = [](const Value &value) { return isFloat(value.kind) && value.shape.size() == 2; };
    const Value *x = pick([&](const Value &value) { return isMatrix(value) && value.shape[1] == 6; });
    if (!x)
      return;
    Value lhs = *x;
    const Value *w = pick([&](const Value &value) {
      return isMatrix(value) && value.kind == lhs.kind && value.shape == std::vector<int64_t>{6, 6};
    });
    const Value *other = pickLike(lhs);
    if (!w || !other)
      return;
    Value rhs = small(*w), beside = *other;
    lhs = small(lhs);
    if (random.below(3) == 0)
      lhs = emitOp({"", lhs.kind, lhs.shape}, "df.transpose", lhs, "permutation = array<i64: 0, 1>");
    Value product = emitOp({"", lhs.kind, lhs.shape}, "df.matmul", {lhs, rhs}, "");
    std::vector<int64_t> wide = {lhs.shape[0], 12};
    if (random.below(2) == 0) {
      Value twice = emitOp({"", lhs.kind, wide}, "df.concat", {beside, product}, "axis = 1 : i64");
      // The operand's rows are dynamic or not.
      beside = emitOp({"", lhs.kind, lhs.shape}, "df.slice", twice,
                      "starts = array<i64: 0, " + std::to_string(random.below(2)) +
                          ">, sizes = array<i64: -1, 6>, strides = array<i64: 1, 2>");
    } else {
      Value half = emitOp({"", lhs.kind, {lhs.shape[0], 3}}, "df.slice", beside,
                          "starts = array<i64: 0, 1>, sizes = array<i64: -1, 3>, strides = array<i64: 1, 2>");
      Value zero = add({"", lhs.kind, {}}, "df.constant dense<0.0> : " + shapeText({}, lhs.kind));
      beside = emitOp({"", lhs.kind, lhs.shape}, "df.pad", {half, zero},
                      "low = array<i64: 0, 1>, high = array<i64: 0, 0>, interior = array<i64: 0, 1>");
    }
    static const char *const ops[] = {"df.add", "df.mul", "df.sub"};
    keep(binary(ops[random.below(3)], product, beside));
  }

  /// A convolution along one dimension, by any stride, padding and dilation.
  void addConvolution() {
    const Value *x =
        pick([](const Value &value) { return isFloat(value.kind) && value.shape.size() == 2 && value.shape[1] == 6; });
    if (!x)
      return;
    Value image = small(*x);
    const Value *w =
        pick([&](const Value &value) { return value.kind == image.kind && value.shape == std::vector<int64_t>{6, 6}; });
    if (!w)
      return;
    Value filter = small(*w);
    auto length = static_cast<int64_t>(random.below(2) ? 2 : 6), channels = 6 / length;
    auto size = static_cast<int64_t>(1 + random.below(3)), stride = static_cast<int64_t>(1 + random.below(3)),
         dilation = static_cast<int64_t>(1 + random.below(2)), low = static_cast<int64_t>(random.below(3)),
         high = static_cast<int64_t>(random.below(3));
    int64_t room = length + low + high - ((size - 1) * dilation + 1);
    if (room < 0 || size * channels > 6)
      return;
    image = emitOp({"", image.kind, {image.shape[0], length, channels}}, "df.reshape", image, "");
    filter = emitOp({"", filter.kind, {size * channels, 6}}, "df.slice", filter,
                    "starts = array<i64: 0, 0>, sizes = array<i64: " + std::to_string(size * channels) + ", 6>");
    filter = emitOp({"", filter.kind, {size, channels, 6}}, "df.reshape", filter, "");
    keep(emitOp({"", image.kind, {image.shape[0], room / stride + 1, 6}}, "df.conv", {image, filter},
                "strides = array<i64: " + std::to_string(stride) + ">, padding = array<i64: " + std::to_string(low) +
                    ", " + std::to_string(high) + ">, dilations = array<i64: " + std::to_string(dilation) + ">"));
  }

  /// Rows of a tensor at ids of which some may be none of its, or one beyond. What it gives is an output: a step that
  /// fails in the interpreter fails in code, too.
  void addRowsAtAnyIds() {
    if (isSmooth(mode) && random.below(2))
      return addTake();
    const Value *ids =
        pick([](const Value &value) { return value.kind == ElementKind::I64 && value.shape.size() == 1; });
    const Value *x = pick([](const Value &value) {
      return isFloat(value.kind) && !value.shape.empty() && value.shape[0] > 0 &&
             llvm::none_of(value.shape, [](int64_t size) { return size < 0; });
    });
    if (!ids || !x)
      return;
    Value table = *x, at = *ids;
    // In Smooth programs all ids are rows, else one in some is not.
    int64_t bound = table.shape[0] + (!isSmooth(mode) && random.below(3) == 0 ? 1 : 0);
    Value most = add({"", ElementKind::I64, {}}, "df.constant dense<" + std::to_string(bound) + "> : tensor<i64>");
    Value mosts = add({"", ElementKind::I64, at.shape}, "df.broadcast " + most.name + " like " + at.name +
                                                            " dimensions = [] : (tensor<i64>, " + typeText(at) +
                                                            ") -> " + typeText(at));
    Value where = binary("df.floor_mod", at, mosts);
    Value rows{"", table.kind, table.shape};
    rows.shape[0] = at.shape[0];
    rows = emitOp(rows, "df.gather", {table, where},
                  random.below(2) ? "axes = array<i64: 0>, skip_negative" : "axes = array<i64: 0>");
    keep(rows);
    if (bound > table.shape[0])
      checked.push_back(rows);
  }

  /// So that kinds meet.
  void addCastOfHalf() {
    if (mode != Mode::HalfGradients)
      return addElementwise();
    const Value *x = pick([](const Value &value) { return isFloat(value.kind); });
    keep(cast(Value(*x), anyKind()));
  }

  /// An op of the table on values that match its pattern.
  void addTemplate() {
    const OpTemplate &which = opTemplates()[random.below(opTemplates().size())];
    bool approximate = which.flags & kApproximate, sums = which.flags & kSums;
    if (isSmooth(mode) && !(which.flags & kSmooth))
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
    // The first rows only; those after the count may hold what is no number, for the loop does not read them.
    std::string count;
    if (random.below(2)) {
      Value n = binary("df.minimum", binary("df.maximum", anyInteger(), integer(0)), numRows(rows));
      if (isFloat(rows.kind))
        rows = withNanFrom(rows, n);
      count = n.name;
    }
    body += last + ", " + stacked + " = df.scan (" + carried.name + ") over (" + rows.name + ")" +
            (count.empty() ? "" : " count " + count) + (random.below(3) == 0 ? " {reverse}" : "") + " : (" +
            typeText(carried) + ", " + typeText(rows) + (count.empty() ? "" : ", tensor<i64>") + ") -> (" +
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
    body += head + " = df.remat : () -> " + typeText(like) + " {\n";
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
    if (isSmooth(mode))
      return finishLoss();
    for (auto [i, value] : llvm::enumerate(checked))
      pool.push_back(value);
    std::string names, types, results;
    auto output = [&](const Value &value, const std::string &name) {
      names += (names.empty() ? "" : ", ") + value.name;
      types += (types.empty() ? "" : ", ") + typeText(value);
      results += (results.empty() ? "" : ", ") + typeText(value) + " {df.name = \"" + name + "\"}";
    };
    // What is computed last uses most of what was computed before.
    size_t most = std::min<size_t>(pool.size(), 6 + checked.size());
    for (size_t i = 0; i < most; ++i)
      output(pool[pool.size() - 1 - i], "y" + std::to_string(i));
    for (auto [i, pair] : llvm::enumerate(sumOutputs)) {
      output(pair.first, "sum" + std::to_string(i));
      output(pair.second, "magnitude" + std::to_string(i));
    }
    return state + "df.function @" + function + "(" + arguments + ") -> (" + results + ") {\n" + body + "df.return " +
           names + " : " + types + "\n}\n";
  }

  /// The sum of what was computed last, and with Gradients its gradients.
  std::string finishLoss() {
    // Of floats, one kind for all.
    ElementKind kind = mode == Mode::HalfGradients ? ElementKind::F32 : ElementKind::F64;
    Value loss;
    int terms = 0;
    for (size_t i = pool.size(); i-- > 0 && terms < 4;) {
      if (!isFloat(pool[i].kind))
        continue;
      Value bounded = unary("df.tanh", pool[i].kind == kind ? pool[i] : cast(pool[i], kind)), part = bounded;
      if (!bounded.shape.empty()) {
        std::string axes;
        for (size_t d = 0; d < bounded.shape.size(); ++d)
          axes += (d ? ", " : "") + std::to_string(d);
        part = emitOp({"", kind, {}}, "df.reduce_sum", bounded, "axes = array<i64: " + axes + ">");
      }
      loss = terms++ ? binary("df.add", loss, part) : part;
    }
    std::string scalar = shapeText({}, kind), names = loss.name, types = scalar,
                results = scalar + " {df.name = \"loss\"}";
    if (mode != Mode::Smooth)
      addGradients(loss, names, types, results);
    return state + "df.function @" + function + "(" + arguments + ") -> (" + results + ") {\n" + body + "df.return " +
           names + " : " + types + "\n}\n";
  }

  void addGradients(const Value &loss, std::string &names, std::string &types, std::string &results) {
    std::vector<Value> made;
    std::string symbols, values, valueTypes;
    for (const Value &variable : variables) {
      symbols += (symbols.empty() ? "" : ", ") + variable.name;
      made.push_back({"", variable.kind, variable.shape});
    }
    for (const Value &value : inputs)
      if (isFloat(value.kind)) {
        values += (values.empty() ? "" : ", ") + value.name;
        valueTypes += ", " + typeText(value);
        made.push_back({"", value.kind, value.shape});
      }
    std::string ofGradients, madeTypes;
    for (auto [i, value] : llvm::enumerate(made)) {
      value.name = fresh();
      ofGradients += (i ? ", " : "") + value.name;
      madeTypes += (i ? ", " : "") + typeText(value);
      names += ", " + value.name;
      types += ", " + typeText(value);
      results += ", " + typeText(value) + " {df.name = \"gradient" + std::to_string(i) + "\"}";
    }
    body += ofGradients + " = df.gradients " + loss.name + " wrt [" + symbols + "] " + values + " : (" +
            typeText(loss) + valueTypes + ") -> (" + madeTypes + ")\n";
  }

  Mode mode;
  const std::vector<ElementwiseOp> &ops;
  std::string function;
  std::string state, arguments;
  int64_t nextUnknown = -2;
  int inRegion = 0;
  std::vector<Value> inputs, variables;
  /// Results of ops that may fail.
  std::vector<Value> checked;
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
    return random.floats(kind, sizes, isSmooth(mode) ? -1 : -3, isSmooth(mode) ? 1 : 3);
  if (kind == ElementKind::I1)
    return random.integers(kind, sizes, 0, 2);
  return random.integers(kind, sizes, interp::isUnsignedKind(kind) ? 0 : -20, interp::isUnsignedKind(kind) ? 256 : 100);
}
