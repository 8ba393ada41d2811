// The text of a random program as it grows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramText.h"

using namespace mlc;
using namespace mlc::random;
using interp::ElementKind;

std::string mlc::random::shapeText(llvm::ArrayRef<int64_t> shape, ElementKind kind) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + interp::kindName(kind).str() + ">";
}

std::string ProgramText::fresh() { return "%v" + std::to_string(next++); }

Value ProgramText::add(Value value, const std::string &line) {
  value.name = fresh();
  body += value.name + " = " + line + "\n";
  return value;
}

const Value &ProgramText::keep(Value value) {
  pool.push_back(std::move(value));
  return pool.back();
}

const Value *ProgramText::pick(llvm::function_ref<bool(const Value &)> fits) {
  std::vector<const Value *> found;
  for (const Value &value : pool)
    if (fits(value))
      found.push_back(&value);
  if (found.empty())
    return nullptr;
  size_t n = found.size();
  return found[random.below(2) ? n - 1 - random.below(std::min<size_t>(n, 4)) : random.below(n)];
}

const Value *ProgramText::pickLike(const Value &other) {
  return pick([&](const Value &value) { return value.kind == other.kind && value.shape == other.shape; });
}

Value ProgramText::unary(const std::string &op, const Value &x) {
  return add({"", x.kind, x.shape}, "\"" + op + "\"(" + x.name + ") : (" + typeText(x) + ") -> " + typeText(x));
}

Value ProgramText::binary(const std::string &op, const Value &x, const Value &y) {
  return add({"", x.kind, x.shape}, "\"" + op + "\"(" + x.name + ", " + y.name + ") : (" + typeText(x) + ", " +
                                        typeText(y) + ") -> " + typeText(x));
}

Value ProgramText::cast(const Value &x, ElementKind kind) {
  Value result{"", kind, x.shape};
  return add(result, "df.cast " + x.name + " : (" + typeText(x) + ") -> " + typeText(result));
}

Value ProgramText::compare(const std::string &predicate, const Value &x, const Value &y) {
  Value result{"", ElementKind::I1, x.shape};
  return add(result, "df.compare " + predicate + ", " + x.name + ", " + y.name + " : (" + typeText(x) + ", " +
                         typeText(y) + ") -> " + typeText(result));
}

Value ProgramText::select(const Value &mask, const Value &x, const Value &y) {
  return add({"", x.kind, x.shape}, "df.select " + mask.name + ", " + x.name + ", " + y.name + " : (" + typeText(mask) +
                                        ", " + typeText(x) + ", " + typeText(y) + ") -> " + typeText(x));
}

Value ProgramText::integer(int64_t value) {
  return add({"", ElementKind::I64, {}}, "df.constant dense<" + std::to_string(value) + "> : tensor<i64>");
}

Value ProgramText::numRows(const Value &x) {
  return add({"", ElementKind::I64, {}},
             "df.size " + x.name + " {dimensions = array<i64: 0>} : (" + typeText(x) + ") -> tensor<i64>");
}

Value ProgramText::emitOp(Value result, const std::string &op, llvm::ArrayRef<Value> operands,
                          const std::string &attributes) {
  std::string names, types;
  for (const Value &value : operands) {
    names += (names.empty() ? " " : ", ") + value.name;
    types += (types.empty() ? "" : ", ") + typeText(value);
  }
  std::string line = op + names + " {" + attributes + "} : (" + types + ") -> " + typeText(result);
  return add(std::move(result), line);
}

Value ProgramText::withNanFrom(const Value &x, const Value &count) {
  Value places{"", ElementKind::I64, x.shape};
  bool isDynamic = llvm::any_of(x.shape, [](int64_t size) { return size < 0; });
  places = isDynamic
               ? add(places, "df.iota " + x.name + " {axis = 0 : i64} : (" + typeText(x) + ") -> " + typeText(places))
               : add(places, "df.iota {axis = 0 : i64} : () -> " + typeText(places));
  auto like = [&](const Value &scalar) {
    Value value{"", scalar.kind, x.shape};
    return add(value, "df.broadcast " + scalar.name + (isDynamic ? " like " + x.name : "") + " dimensions = [] : (" +
                          typeText(scalar) + (isDynamic ? ", " + typeText(x) : "") + ") -> " + typeText(value));
  };
  Value zero = add({"", x.kind, {}}, "df.constant dense<0.0> : " + shapeText({}, x.kind));
  Value nan = binary("df.div", zero, zero);
  return select(compare("lt", places, like(count)), x, like(nan));
}

std::string ProgramText::yieldOf(llvm::ArrayRef<Value> values) {
  std::string names, types;
  for (const Value &value : values) {
    names += (names.empty() ? " " : ", ") + value.name;
    types += (types.empty() ? " : " : ", ") + typeText(value);
  }
  return "df.yield" + names + types + "\n";
}
