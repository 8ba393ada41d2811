// Cases of counts and distances. All have the interpreter's bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

/// A case of `op`, called `name`, with the text of the op's use after its name.
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

void mlc::execute::addStatisticsCases(std::vector<OpCase> &cases) {
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
}
