// How cases of element-wise ops are made: several ops in one function, on the same arguments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_ELEMENTWISECASES_H
#define MLC_TEST_EXECUTE_ELEMENTWISECASES_H

#include "OpCases.h"

namespace mlc::execute {

/// The last is enough for all pairs of special floats, too.
inline const std::vector<int64_t> kSizes = {0, 1, 7, 8, 9, 16, 33, 130, kManyElements};

/// Shapes of element-wise cases, with the name of each.
inline const std::pair<const char *, std::vector<int64_t>> kShapes[] = {
    {"rows", {kRows}}, {"matrix", {kRows, 3}}, {"static", {5, 13}}, {"scalar", {}}, {"empty", {2, 0}}};

/// One function with a result for each of `ops`, all on the same arguments. `line(op)` is the op on %x0, %x1, ... less
/// its result.
template <typename Fn>
void addTogether(std::vector<OpCase> &cases, const std::string &name, std::vector<std::string> ops,
                 const std::vector<Argument> &arguments, interp::ElementKind resultKind, Fn line) {
  OpCase which;
  which.name = name;
  which.arguments = arguments;
  std::string type = typeText(resultKind, arguments.back().shape), values, types;
  for (auto [i, op] : llvm::enumerate(ops)) {
    std::string number = std::to_string(i);
    which.body += "  %y" + number + " = " + line(op) + "\n";
    which.results.push_back(type);
    values += (i ? ", %y" : "%y") + number;
    types += (i ? ", " : "") + type;
    which.ops.push_back(llvm::StringRef(op).split(' ').first.str());
  }
  which.body += "  df.return " + values + " : " + types;
  if (!llvm::is_contained(arguments.back().shape, kRows))
    which.rows = {1};
  else if (arguments.back().shape.size() == 1)
    which.rows = kSizes;
  cases.push_back(std::move(which));
}

/// `df.<op> %x0, ... : type` of ops with one type.
inline std::string sameType(const std::string &op, const std::vector<Argument> &arguments) {
  std::string text = "df." + op + " %x0";
  for (size_t i = 1; i < arguments.size(); ++i)
    text += ", %x" + std::to_string(i);
  return text + " : " + typeText(arguments[0].kind, arguments[0].shape);
}

/// `(types) -> type` of ops with a functional type.
inline std::string functional(const std::vector<Argument> &arguments, interp::ElementKind result) {
  std::string text = " : (";
  for (auto [i, argument] : llvm::enumerate(arguments))
    text += (i ? ", " : "") + typeText(argument.kind, argument.shape);
  return text + ") -> " + typeText(result, arguments.back().shape);
}

/// The kinds that have casts to one another.
inline constexpr interp::ElementKind kAllKinds[] = {
    interp::ElementKind::F16, interp::ElementKind::BF16, interp::ElementKind::F32,  interp::ElementKind::F64,
    interp::ElementKind::I1,  interp::ElementKind::I8,   interp::ElementKind::I16,  interp::ElementKind::I32,
    interp::ElementKind::I64, interp::ElementKind::UI8,  interp::ElementKind::UI16, interp::ElementKind::UI32,
    interp::ElementKind::UI64};

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_ELEMENTWISECASES_H
