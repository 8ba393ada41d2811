// Cases of the ops that statistics are made of. All have the interpreter's bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

/// Keys of few different values, so that many are equal.
static interp::Tensor fewKeys(RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  interp::Tensor values = random.integers(ElementKind::I64, shape, -3, 4), keys(kind, shape);
  for (int64_t i = 0; i < keys.getNumElements(); ++i)
    keys.setFloat(i, 0.5 * static_cast<double>(values.getInteger(i)));
  return keys;
}

/// A case of `op`, called `name`, with the text of the op's use behind its name.
static OpCase makeCase(const std::string &op, const std::string &name, std::vector<Argument> arguments,
                       const std::string &use, const std::string &type) {
  OpCase which;
  which.ops = {op};
  which.name = op + "_" + name;
  which.arguments = std::move(arguments);
  which.body = "  %r = df." + op + " " + use + " -> " + type + "\n  df.return %r : " + type;
  which.results = {type};
  return which;
}

static void addRankCases(std::vector<OpCase> &cases) {
  Argument weights = {ElementKind::F64, {kRows}, between(0, 2)};
  Argument groups = {ElementKind::I64, {kRows}, between(0, 5)};
  for (bool counted : {false, true}) {
    Argument count = {ElementKind::I64, {}, counted ? between(0, 9) : between(1000000, 1000001)};
    std::string suffix = counted ? "_counted" : "";
    const std::string result = "tensor<?xf64>";
    cases.push_back(makeCase("mid_ranks", "in_order" + suffix, {weights, count},
                             "%x0, %x1 : (tensor<?xf64>, tensor<i64>)", result));
    cases.push_back(makeCase("mid_ranks", "in_order_of_groups" + suffix, {weights, count, groups},
                             "%x0, %x1 groups %x2 : (tensor<?xf64>, tensor<i64>, tensor<?xi64>)", result));
    for (auto [name, keys] :
         {std::pair<const char *, Fill>{"special", special()}, {"few", fewKeys}, {"zeros", zeros()}}) {
      Argument key = {ElementKind::F32, {kRows}, keys};
      cases.push_back(makeCase("mid_ranks", name + suffix, {weights, count, key},
                               "%x0, %x1 keys %x2 : (tensor<?xf64>, tensor<i64>, tensor<?xf32>)", result));
      cases.push_back(makeCase("mid_ranks", name + ("_in_groups" + suffix), {weights, count, key, groups},
                               "%x0, %x1 keys %x2 groups %x3 : (tensor<?xf64>, tensor<i64>, tensor<?xf32>, "
                               "tensor<?xi64>)",
                               result));
    }
  }
}

void mlc::execute::addStatisticsCases(std::vector<OpCase> &cases) {
  addRankCases(cases);
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64, ElementKind::I64}) {
    std::string store = typeText(kind, {64}), values = typeText(kind, {kRows}), name = interp::kindName(kind).str();
    Argument value = {kind, {kRows}, between(-5, 5)};
    Argument at = {ElementKind::I64, {}, between(0, 70)};
    cases.push_back(makeCase("put_values", name, {{kind, {64}, between(-5, 5)}, value, at},
                             "%x0, %x1, %x2 : (" + store + ", " + values + ", tensor<i64>)", store));
    // The store is a variable, and changes in place.
    OpCase state;
    state.ops = {"put_values"};
    state.name = "put_values_into_variable_" + name;
    state.state = "df.variable @" + state.name + "_store : " + store + " = #df.constant<1.0>\n";
    state.arguments = {value, at};
    state.body = "  %s = df.read @" + state.name + "_store : " + store + "\n  %r = df.put_values %s, %x0, %x1 : (" +
                 store + ", " + values + ", tensor<i64>) -> " + store + "\n  df.assign @" + state.name +
                 "_store, %r : " + store + "\n  df.return";
    cases.push_back(std::move(state));
  }
  for (ElementKind kind : {ElementKind::F16, ElementKind::F32, ElementKind::F64, ElementKind::I8, ElementKind::UI32}) {
    std::string type = typeText(kind, {4});
    cases.push_back(makeCase("bincount", "weighted_" + interp::kindName(kind).str(),
                             {{ElementKind::I64, {kRows}, between(-1, 4)}, {kind, {kRows}, between(0, 9)}},
                             "%x0, %x1 : (tensor<?xi64>, " + typeText(kind, {kRows}) + ")", type));
  }
  cases.push_back(makeCase("bincount", "counts", {{ElementKind::I64, {kRows}, between(-1, 4)}}, "%x0 : (tensor<?xi64>)",
                           "tensor<4xi64>"));
  for (ElementKind kind :
       {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64, ElementKind::I8, ElementKind::UI32}) {
    std::string name = interp::kindName(kind).str(), scalar = typeText(kind, {});
    cases.push_back(makeCase(
        "histogram", name, {{kind, {kRows, 3}, special()}, {kind, {}, between(1, 3)}, {kind, {}, between(5, 9)}},
        "%x0, %x1, %x2 : (" + typeText(kind, {kRows, 3}) + ", " + scalar + ", " + scalar + ")", "tensor<7xi64>"));
  }
  for (ElementKind kind : {ElementKind::I8, ElementKind::I64})
    for (int64_t size : {int64_t{5}, kRows}) {
      std::string name = interp::kindName(kind).str() + (size == kRows ? "_dynamic" : "");
      cases.push_back(makeCase("edit_distance", name,
                               {{kind, {kRows, size}, between(0, 3)},
                                {kind, {kRows, 6}, between(0, 3)},
                                {ElementKind::I64, {kRows}, between(-1, 8)},
                                {ElementKind::I64, {kRows}, between(-1, 8)}},
                               "%x0, %x1, %x2, %x3 {normalize} : (" + typeText(kind, {kRows, size}) + ", " +
                                   typeText(kind, {kRows, 6}) + ", tensor<?xi64>, tensor<?xi64>)",
                               "tensor<?xf32>"));
    }
  for (int64_t bins : {2, 1024}) {
    std::string type = typeText(ElementKind::F64, {bins});
    cases.push_back(makeCase("add_to_bins", std::to_string(bins),
                             {{ElementKind::F64, {bins}, between(0, 2)},
                              {ElementKind::F32, {kRows}, special()},
                              {ElementKind::F64, {kRows}, between(0, 2)}},
                             "%x0, %x1, %x2 : (" + type + ", tensor<?xf32>, tensor<?xf64>)", type));
  }
}
