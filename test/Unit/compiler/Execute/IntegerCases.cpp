// Cases of ops on integers: quotients, bits, shifts; and of the bits of floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

static void addKind(std::vector<OpCase> &cases, ElementKind kind) {
  std::string suffix = "_" + kindName(kind).str();
  std::vector<Argument> one = {{kind, {kRows}, special()}},
                        two = {{kind, {kRows}, special(0)}, {kind, {kRows}, special(1)}},
                        quotient = {two[0], {kind, {kRows}, specialButZero(1)}},
                        shift = {two[0], {kind, {kRows}, between(0, 80)}};
  auto line = [&](const std::string &op) { return sameType(op, two); };
  addTogether(cases, "quotient" + suffix, {"div", "rem", "floor_div", "floor_mod"}, quotient, kind, line);
  addTogether(cases, "bits" + suffix, {"bitwise_and", "bitwise_or", "bitwise_xor"}, two, kind, line);
  // Amounts below and above the width, and the special ones, negative and huge.
  std::vector<std::string> shifts = {"shift_left", "shift_right_logical", "shift_right_arithmetic"};
  addTogether(cases, "shift" + suffix, shifts, shift, kind, line);
  addTogether(cases, "shift_special" + suffix, shifts, two, kind, line);
  addTogether(cases, "count" + suffix, {"bitwise_not", "population_count", "count_leading_zeros"}, one, kind,
              [&](const std::string &op) { return sameType(op, one); });
  std::vector<Argument> clamped = {two[0], two[1], {kind, {kRows}, special(0)}};
  addTogether(cases, "clamp" + suffix, {"clamp"}, clamped, kind,
              [&](const std::string &op) { return sameType(op, clamped); });
  // A constant divisor, and constants of every kind.
  std::string type = typeText(kind, {});
  OpCase constant;
  constant.name = "constant" + suffix;
  constant.ops = {"div", "constant"};
  constant.arguments = {one[0]};
  constant.body = "  %c = df.constant dense<" + std::string(interp::isUnsignedKind(kind) ? "200" : "-7") +
                  "> : " + type + "\n  %b = df.broadcast %c like %x0 dimensions = [] : (" + type + ", " +
                  typeText(kind, {kRows}) + ") -> " + typeText(kind, {kRows}) +
                  "\n  %y = df.div %x0, %b : " + typeText(kind, {kRows}) +
                  "\n  %l = df.constant dense<[1, 2, 127]> : " + typeText(kind, {3}) +
                  "\n  df.return %y, %l : " + typeText(kind, {kRows}) + ", " + typeText(kind, {3});
  constant.results = {typeText(kind, {kRows}), typeText(kind, {3})};
  cases.push_back(std::move(constant));
}

void mlc::execute::addIntegerCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::I8, ElementKind::I16, ElementKind::I32, ElementKind::I64, ElementKind::UI8,
                           ElementKind::UI16, ElementKind::UI32, ElementKind::UI64})
    addKind(cases, kind);
  const std::vector<ElementKind> byWidth[] = {
      {ElementKind::I8, ElementKind::UI8},
      {ElementKind::F16, ElementKind::BF16, ElementKind::I16, ElementKind::UI16},
      {ElementKind::F32, ElementKind::I32, ElementKind::UI32},
      {ElementKind::F64, ElementKind::I64, ElementKind::UI64}};
  for (const auto &kinds : byWidth)
    for (ElementKind from : kinds)
      for (ElementKind to : kinds) {
        std::vector<Argument> one = {{from, {kRows}, special()}};
        addTogether(cases, "bitcast_" + kindName(from).str() + "_" + kindName(to).str(), {"bitcast"}, one, to,
                    [&](const std::string &op) { return "df." + op + " %x0" + functional(one, to); });
      }
}
