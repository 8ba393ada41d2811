// Random graphs: what fusion, bufferization, the planning of memory and the binding of state make of many ops together.
// Their ops have the interpreter's bits, and so must the graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

#include <map>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

namespace {

/// Classes of values, each of one type.
enum Class { Matrix, Rows, Columns, Table, Square };
constexpr Class kClasses[] = {Matrix, Rows, Columns, Table, Square};
constexpr int kVariables = 3;

const char *typeOf(Class c) {
  static const char *const types[] = {"tensor<?x6xf32>", "tensor<?xf32>", "tensor<6xf32>", "tensor<4x6xf32>",
                                      "tensor<6x6xf32>"};
  return types[c];
}

/// Writes the body of one function, op by op.
class GraphWriter {
public:
  GraphWriter(std::string name, uint32_t seed) : name(std::move(name)), random(seed) {}

  OpCase write() {
    OpCase which;
    which.name = name;
    for (int v = 0; v < kVariables; ++v)
      which.state += "df.variable @" + variable(v) + " : tensor<4x6xf32> = #df.normal<0.0, 1.0>\n";
    auto argument = [&](Class c, std::vector<int64_t> shape) {
      pools[c].push_back("%x" + std::to_string(which.arguments.size()));
      which.arguments.push_back({ElementKind::F32, std::move(shape), between(-2, 2)});
    };
    argument(Matrix, {kRows, 6});
    argument(Matrix, {kRows, 6});
    argument(Rows, {kRows});
    argument(Columns, {6});
    argument(Table, {4, 6});
    argument(Square, {6, 6});
    which.arguments.push_back({ElementKind::I64, {kRows}, between(-1, 4)});
    ids = "%x6";
    which.arguments.push_back({ElementKind::I1, {}, truths()});
    condition = "%x7";
    for (int64_t i = 0, n = 4 + random.below(14); i < n; ++i)
      addOp(/*depth=*/0);
    std::string values, types;
    for (int64_t i = 0, n = 1 + random.below(4); i < n; ++i) {
      Class c = kClasses[random.below(5)];
      values += (i ? ", " : "") + pick(c);
      types += (i ? ", " : "") + std::string(typeOf(c));
      which.results.emplace_back(typeOf(c));
    }
    which.body = body + "df.return " + values + " : " + types;
    which.rows = {0, 1, 7, 33, 260};
    return which;
  }

private:
  std::string variable(int64_t v) const { return name + "_" + std::to_string(v); }
  std::string fresh() { return "%v" + std::to_string(next++); }
  /// A value of a class, late ones more often.
  std::string pick(Class c) {
    auto &pool = pools[c];
    int64_t n = static_cast<int64_t>(pool.size());
    return pool[random.below(2) ? n - 1 - random.below(std::min<int64_t>(n, 3)) : random.below(n)];
  }
  std::string choose(std::initializer_list<const char *> names) { return names.begin()[random.below(names.size())]; }
  /// `%v = line` as a new value of a class.
  std::string add(Class c, const std::string &line) {
    std::string value = fresh();
    body += value + " = " + line + "\n";
    pools[c].push_back(value);
    return value;
  }

  void addOp(int depth) {
    switch (random.below(depth ? 10 : 13)) {
    case 0:
    case 1: {
      Class c = kClasses[random.below(5)];
      add(c, "df." + choose({"neg", "abs", "square", "relu", "tanh", "sigmoid", "exp", "floor", "sign", "cos"}) + " " +
                 pick(c) + " : " + typeOf(c));
      break;
    }
    case 2:
    case 3: {
      Class c = kClasses[random.below(5)];
      add(c, "df." + choose({"add", "sub", "mul", "div", "maximum", "minimum"}) + " " + pick(c) + ", " + pick(c) +
                 " : " + typeOf(c));
      break;
    }
    case 4:
      addBroadcast();
      break;
    case 5:
      addReduction();
      break;
    case 6:
      addProduct();
      break;
    case 7:
      addMove();
      break;
    case 8:
      addChoice();
      break;
    case 9:
      addState();
      break;
    case 10:
    case 11:
      addBranch();
      break;
    default:
      addLoop();
    }
  }

  void addBroadcast() {
    if (random.below(3) == 0)
      add(Table, "df.broadcast " + pick(Columns) + " dimensions = [1] : (tensor<6xf32>) -> tensor<4x6xf32>");
    else if (random.below(2))
      add(Matrix, "df.broadcast " + pick(Rows) + " like " + pick(Matrix) +
                      " dimensions = [0] : (tensor<?xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>");
    else
      add(Matrix, "df.broadcast " + pick(Columns) + " like " + pick(Matrix) +
                      " dimensions = [1] : (tensor<6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>");
  }

  void addReduction() {
    std::string op = "df." + choose({"reduce_max", "reduce_min"}) + " ";
    switch (random.below(3)) {
    case 0:
      add(Rows, op + pick(Matrix) + " {axes = array<i64: 1>} : (tensor<?x6xf32>) -> tensor<?xf32>");
      break;
    case 1:
      add(Columns, op + pick(Matrix) + " {axes = array<i64: 0>} : (tensor<?x6xf32>) -> tensor<6xf32>");
      break;
    default:
      add(Columns, op + pick(Table) + " {axes = array<i64: 0>} : (tensor<4x6xf32>) -> tensor<6xf32>");
    }
  }

  void addProduct() {
    switch (random.below(3)) {
    case 0:
      add(Matrix, "df.matmul " + pick(Matrix) + ", " + pick(Square) +
                      " : (tensor<?x6xf32>, tensor<6x6xf32>) -> tensor<?x6xf32>");
      break;
    case 1:
      add(Table, "df.matmul " + pick(Table) + ", " + pick(Square) +
                     " {transpose_b} : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>");
      break;
    default:
      add(Square, "df.matmul " + pick(Matrix) + ", " + pick(Matrix) +
                      " {transpose_a} : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<6x6xf32>");
    }
  }

  void addMove() {
    switch (random.below(4)) {
    case 0:
      add(Square,
          "df.transpose " + pick(Square) + " {permutation = array<i64: 1, 0>} : (tensor<6x6xf32>) -> tensor<6x6xf32>");
      break;
    case 1: {
      std::string from = pick(Matrix), left = fresh(), right = fresh();
      body += left + " = df.slice " + from +
              " {starts = array<i64: 0, 0>, sizes = array<i64: -1, 2>} : (tensor<?x6xf32>) -> tensor<?x2xf32>\n" +
              right + " = df.slice " + pick(Matrix) +
              " {starts = array<i64: 0, 2>, sizes = array<i64: -1, 4>} : (tensor<?x6xf32>) -> tensor<?x4xf32>\n";
      add(Matrix, "df.concat " + right + ", " + left +
                      " {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<?x6xf32>");
      break;
    }
    case 2: {
      std::string split = fresh(), turned = fresh();
      body += split + " = df.reshape " + pick(Matrix) + " : (tensor<?x6xf32>) -> tensor<?x2x3xf32>\n" + turned +
              " = df.transpose " + split +
              " {permutation = array<i64: 0, 2, 1>} : (tensor<?x2x3xf32>) -> tensor<?x3x2xf32>\n";
      add(Matrix, "df.reshape " + turned + " : (tensor<?x3x2xf32>) -> tensor<?x6xf32>");
      break;
    }
    default: {
      std::string top = fresh();
      body += top + " = df.slice " + pick(Square) +
              " {starts = array<i64: 2, 0>, sizes = array<i64: 3, 6>} : (tensor<6x6xf32>) -> tensor<3x6xf32>\n";
      add(Table, "df.pad " + top +
                     " {low = array<i64: 1, 0>, high = array<i64: 0, 0>} : (tensor<3x6xf32>) -> tensor<4x6xf32>");
    }
    }
  }

  void addChoice() {
    Class c = kClasses[random.below(5)];
    std::string type = typeOf(c), mask = fresh(), maskType = type;
    maskType.replace(maskType.find("f32"), 3, "i1");
    body += mask + " = df.compare " + choose({"lt", "ge", "ne"}) + ", " + pick(c) + ", " + pick(c) + " : (" + type +
            ", " + type + ") -> " + maskType + "\n";
    add(c, "df.select " + mask + ", " + pick(c) + ", " + pick(c) + " : (" + maskType + ", " + type + ", " + type +
               ") -> " + type);
  }

  void addState() {
    std::string symbol = "@" + variable(random.below(kVariables));
    switch (random.below(4)) {
    case 0:
      add(Table, "df.read " + symbol + " : tensor<4x6xf32>");
      break;
    case 1:
      add(Matrix, "df.read_rows " + symbol + "[" + ids + "] : (tensor<?xi64>) -> tensor<?x6xf32>");
      break;
    case 2:
      body += "df.assign_" + choose({"add", "sub"}) + " " + symbol + ", " + pick(Table) + " : tensor<4x6xf32>\n";
      break;
    default:
      body += "df.assign " + symbol + ", " + pick(Table) + " : tensor<4x6xf32>\n";
    }
  }

  /// Ops in a region of their own, which yields values of `classes`.
  std::string region(llvm::ArrayRef<Class> classes) {
    std::map<Class, std::vector<std::string>> outside = pools;
    for (int64_t i = 0, n = random.below(3); i < n; ++i)
      addOp(/*depth=*/1);
    std::string values, types;
    for (auto [i, c] : llvm::enumerate(classes)) {
      values += (i ? ", " : " ") + pick(c);
      types += (i ? ", " : " : ") + std::string(typeOf(c));
    }
    pools = std::move(outside);
    return "df.yield" + values + types + "\n";
  }

  void addBranch() {
    Class classes[] = {kClasses[random.below(5)], kClasses[random.below(5)]};
    std::string first = fresh(), second = fresh();
    body += first + ", " + second + " = df.if " + condition + " : (tensor<i1>) -> (" + typeOf(classes[0]) + ", " +
            typeOf(classes[1]) + ") {\n";
    body += region(classes);
    body += "} else {\n";
    body += region(classes);
    body += "}\n";
    pools[classes[0]].push_back(first);
    pools[classes[1]].push_back(second);
  }

  void addLoop() {
    Class c = kClasses[random.below(5)], classes[] = {c, c};
    std::string type = typeOf(c), first = fresh(), second = fresh(), a = fresh(), b = fresh(), go = fresh();
    body += first + ", " + second + " = df.while (" + pick(c) + ", " + pick(c) +
            ") {max_iterations = " + std::to_string(random.below(4)) + " : i64} : (" + type + ", " + type + ") -> (" +
            type + ", " + type + ") {\n^bb0(" + a + ": " + type + ", " + b + ": " + type + "):\n" + go +
            " = df.constant dense<true> : tensor<i1>\ndf.condition " + go + " : tensor<i1>\n} do {\n";
    a = fresh();
    b = fresh();
    body += "^bb0(" + a + ": " + type + ", " + b + ": " + type + "):\n";
    std::map<Class, std::vector<std::string>> outside = pools;
    pools[c].push_back(a);
    pools[c].push_back(b);
    body += region(classes);
    pools = std::move(outside);
    body += "}\n";
    pools[c].push_back(first);
    pools[c].push_back(second);
  }

  std::string name, body, ids, condition;
  RandomValues random;
  int64_t next = 0;
  std::map<Class, std::vector<std::string>> pools;
};

} // namespace

void mlc::execute::addGraphCases(std::vector<OpCase> &cases) {
  constexpr uint32_t graphs = 20;
  for (uint32_t seed = 0; seed < graphs; ++seed)
    cases.push_back(GraphWriter("graph_" + std::to_string(seed), seed).write());
}
