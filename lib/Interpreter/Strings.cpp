// Rules of ops on strings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfStringOps.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

static constexpr llvm::StringLiteral kBlanks = " \t\n\v\f\r";

/// A rule of an op that makes one string of another.
template <typename OpTy, typename Fn> static void addMap(RuleTable &table, Fn f) {
  table.add<OpTy>([f](OpTy op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    Tensor result(ElementKind::String, from.getShape());
    for (int64_t i = 0, n = from.getNumElements(); i < n; ++i)
      result.setString(i, f(StringRef(from.getString(i))));
    return frame.set(op.getResult(), std::move(result));
  });
}

static LogicalResult evaluateSubstr(df::SubstrOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand()), &starts = frame.tensor(op.getStart()),
               &lengths = frame.tensor(op.getLength());
  if (starts.getShape() != from.getShape() || lengths.getShape() != from.getShape())
    return op.emitOpError("operands differ in shape");
  Tensor result(ElementKind::String, from.getShape());
  for (int64_t i = 0, n = from.getNumElements(); i < n; ++i) {
    StringRef text = from.getString(i);
    auto size = static_cast<int64_t>(text.size());
    int64_t start = starts.getInteger(i);
    start = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
    result.setString(i, text.substr(start, std::max<int64_t>(lengths.getInteger(i), 0)).str());
  }
  return frame.set(op.getResult(), std::move(result));
}

//===-- numbers ------------------------------------------------------------------===//

/// The text of a float, of `precision` digits after the point if it is given.
template <typename T> static std::string textOfFloat(T value, std::optional<uint64_t> precision) {
  if (std::isnan(value))
    return "nan";
  // Digits before the point, of 1e308, and after it.
  char text[400];
  auto end = precision
                 ? std::to_chars(text, std::end(text), value, std::chars_format::fixed, static_cast<int>(*precision))
                 : std::to_chars(text, std::end(text), value);
  return {text, end.ptr};
}

static std::string textOfNumber(const Tensor &from, int64_t i, std::optional<uint64_t> precision) {
  switch (from.getKind()) {
  case ElementKind::I1:
    return from.getInteger(i) ? "true" : "false";
  case ElementKind::F64:
    return textOfFloat(from.getFloat(i), precision);
  default:
    if (isFloatKind(from.getKind()))
      return textOfFloat(static_cast<float>(from.getFloat(i)), precision);
    if (isUnsignedKind(from.getKind()))
      return std::to_string(static_cast<uint64_t>(from.getInteger(i)));
    return std::to_string(from.getInteger(i));
  }
}

/// Whether all of `text` is a `T`, which goes to `value`.
template <typename T> static bool parseNumber(StringRef text, T &value) {
  text = text.trim(kBlanks);
  // A sign that from_chars does not know; but only one.
  if (text.consume_front("+") && text.starts_with("-"))
    return false;
  auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  return error == std::errc() && end == text.end();
}

static bool parseElement(StringRef text, Tensor &result, int64_t i) {
  auto parse = [&](auto value) {
    if (!parseNumber(text, value))
      return false;
    if constexpr (std::is_floating_point_v<decltype(value)>)
      result.setFloat(i, value);
    else
      result.setInteger(i, static_cast<int64_t>(value));
    return true;
  };
  switch (result.getKind()) {
  case ElementKind::F32:
    return parse(float());
  case ElementKind::F64:
    return parse(double());
  case ElementKind::I8:
    return parse(int8_t());
  case ElementKind::I16:
    return parse(int16_t());
  case ElementKind::I32:
    return parse(int32_t());
  case ElementKind::I64:
    return parse(int64_t());
  case ElementKind::UI8:
    return parse(uint8_t());
  case ElementKind::UI16:
    return parse(uint16_t());
  case ElementKind::UI32:
    return parse(uint32_t());
  default:
    return parse(uint64_t());
  }
}

static LogicalResult evaluateStringToNumber(df::StringToNumberOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  Tensor result(*elementKindOf(op.getType().getElementType()), from.getShape());
  int64_t perRow = from.getRank() && from.getNumElements() ? from.getRowSize() : 1;
  for (int64_t i = 0, n = from.getNumElements(); i < n; ++i)
    if (!parseElement(from.getString(i), result, i)) {
      InFlightDiagnostic error = op.emitOpError("row ") << i / perRow << ": ";
      std::string quoted;
      llvm::raw_string_ostream os(quoted);
      printElement(os, from, i);
      return error << quoted << " is no number of " << kindName(result.getKind());
    }
  return frame.set(op.getResult(), std::move(result));
}

//===-- parts --------------------------------------------------------------------===//

static LogicalResult evaluateSplit(df::StringSplitOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  StringRef delimiter = op.getDelimiter();
  std::vector<std::string> values;
  Tensor ends(ElementKind::I64, from.getShape());
  for (int64_t i = 0, n = from.getNumElements(); i < n; ++i) {
    StringRef rest = from.getString(i);
    for (bool more = true; more;) {
      size_t at = op.getAnyByte() ? rest.find_first_of(delimiter) : rest.find(delimiter);
      more = at != StringRef::npos;
      StringRef part = rest.take_front(at);
      if (!op.getSkipEmpty() || !part.empty())
        values.push_back(part.str());
      if (more)
        rest = rest.drop_front(at + (op.getAnyByte() ? 1 : delimiter.size()));
    }
    ends.setInteger(i, static_cast<int64_t>(values.size()));
  }
  auto count = static_cast<int64_t>(values.size());
  if (failed(frame.set(op.getValues(), Tensor::ofStrings(count, std::move(values)))))
    return failure();
  return frame.set(op.getEnds(), std::move(ends));
}

static LogicalResult evaluateReduceJoin(df::ReduceJoinOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t size = from.getDimSize(axis), inner = 1;
  SmallVector<int64_t> shape(from.getShape());
  for (int64_t d : ArrayRef<int64_t>(shape).drop_front(axis + 1))
    inner *= d;
  shape.erase(shape.begin() + axis);
  Tensor result(ElementKind::String, shape);
  for (int64_t i = 0, n = result.getNumElements(); i < n; ++i) {
    std::string text;
    for (int64_t k = 0; k < size; ++k)
      text += (k ? op.getSeparator().str() : "") + from.getString((i / inner * size + k) * inner + i % inner);
    result.setString(i, std::move(text));
  }
  return frame.set(op.getResult(), std::move(result));
}

static LogicalResult evaluateSegmentJoin(df::SegmentJoinOp op, Frame &frame) {
  const Tensor &values = frame.tensor(op.getValues()), &ends = frame.tensor(op.getEnds());
  Tensor result(ElementKind::String, ends.getShape());
  int64_t begin = 0;
  for (int64_t r = 0, rows = ends.getNumElements(); r < rows; ++r) {
    int64_t end = ends.getInteger(r);
    if (end < begin || end > values.getNumElements())
      return op.emitOpError("row ") << r << " ends at " << end << ", not in [" << begin << ", "
                                    << values.getNumElements() << "]";
    std::string text;
    for (int64_t i = begin; i < end; ++i)
      text += (i > begin ? op.getSeparator().str() : "") + values.getString(i);
    result.setString(r, std::move(text));
    begin = end;
  }
  return frame.set(op.getResult(), std::move(result));
}

void mlc::interp::addStringRules(RuleTable &table) {
  addMap<df::StringLowerOp>(table, [](StringRef text) { return text.lower(); });
  addMap<df::StringUpperOp>(table, [](StringRef text) { return text.upper(); });
  addMap<df::StringStripOp>(table, [](StringRef text) { return text.trim(kBlanks).str(); });
  table.add<df::StringLengthOp>([](df::StringLengthOp op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    Tensor result(ElementKind::I64, from.getShape());
    for (int64_t i = 0, n = from.getNumElements(); i < n; ++i)
      result.setInteger(i, static_cast<int64_t>(from.getString(i).size()));
    return frame.set(op.getResult(), std::move(result));
  });
  table.add<df::AsStringOp>([](df::AsStringOp op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    Tensor result(ElementKind::String, from.getShape());
    for (int64_t i = 0, n = from.getNumElements(); i < n; ++i)
      result.setString(i, textOfNumber(from, i, op.getPrecision()));
    return frame.set(op.getResult(), std::move(result));
  });
  table.add<df::SubstrOp>(evaluateSubstr);
  table.add<df::StringToNumberOp>(evaluateStringToNumber);
  table.add<df::StringSplitOp>(evaluateSplit);
  table.add<df::ReduceJoinOp>(evaluateReduceJoin);
  table.add<df::SegmentJoinOp>(evaluateSegmentJoin);
}
