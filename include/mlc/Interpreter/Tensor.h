// Values of the reference interpreter: tensors on the host and the rows of a sparse gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_TENSOR_H
#define MLC_INTERPRETER_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mlc::interp {

/// Element types of df tensors.
enum class ElementKind { F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, String };

/// Whether `kind` is one of the float kinds.
inline bool isFloatKind(ElementKind kind) { return kind <= ElementKind::F64; }
/// Whether `kind` is i1 or one of the integer kinds.
inline bool isIntegerKind(ElementKind kind) { return kind >= ElementKind::I1 && kind <= ElementKind::UI64; }
/// Whether `kind` is one of ui8 to ui64.
inline bool isUnsignedKind(ElementKind kind) { return kind >= ElementKind::UI8 && kind <= ElementKind::UI64; }
/// Bits of an element of an integer kind (1 for i1).
unsigned integerWidth(ElementKind kind);
/// Spelling of the kind as in a tensor type: "f32", "i1", "ui8", "!df.string".
llvm::StringRef kindName(ElementKind kind);
/// The kind of a builtin or df element type; fails without a diagnostic for other types.
mlir::FailureOr<ElementKind> elementKindOf(mlir::Type elementType);

/// A tensor on the host: a kind, a static shape (dimensions >= 0) and elements in row-major order.
class Tensor {
public:
  /// An f32 scalar of value 0.
  Tensor() : Tensor(ElementKind::F32, {}) {}
  /// Zeros, false or empty strings of the given shape.
  Tensor(ElementKind kind, llvm::ArrayRef<int64_t> shape);

  /// A float tensor of `kind` whose elements are `values`, each rounded once to nearest even. As many values as the
  /// shape holds.
  static Tensor ofFloats(ElementKind kind, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values);
  /// An integer or i1 tensor of `kind`; values wrap to the kind's width (i1: the lowest bit).
  static Tensor ofIntegers(ElementKind kind, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> values);
  /// A string tensor.
  static Tensor ofStrings(llvm::ArrayRef<int64_t> shape, std::vector<std::string> values);
  /// A scalar i64 and a scalar of a float kind.
  static Tensor scalar(int64_t value) { return ofIntegers(ElementKind::I64, {}, value); }
  static Tensor scalar(ElementKind kind, double value) { return ofFloats(kind, {}, value); }

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getDimSize(int64_t dimension) const { return shape[dimension]; }
  int64_t getNumElements() const;
  /// Elements of one row: of all dimensions but the first. The rank must be >= 1.
  int64_t getRowSize() const;

  /// Element `i` of a float tensor, exact.
  double getFloat(int64_t i) const;
  /// Sets element `i` of a float tensor, rounded once from f64 to nearest even.
  void setFloat(int64_t i, double value);
  /// Element `i` of an integer tensor, sign-extended, of an unsigned kind zero-extended (the bits of ui64); 0 or 1 of
  /// i1.
  int64_t getInteger(int64_t i) const;
  /// Sets element `i` of an integer tensor; wraps to the width.
  void setInteger(int64_t i, int64_t value);
  const std::string &getString(int64_t i) const { return strings[i]; }
  void setString(int64_t i, std::string value) { strings[i] = std::move(value); }

  /// All elements as `T`: float (kinds f16, bf16, f32), double (any float kind) or int64_t (integer kinds).
  template <typename T> std::vector<T> to() const {
    std::vector<T> values(getNumElements());
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_floating_point_v<T>)
        values[i] = static_cast<T>(getFloat(i));
      else
        values[i] = getInteger(i);
    return values;
  }
  /// Sets all elements from `T` as `to` gives them.
  template <typename T> void assign(llvm::ArrayRef<T> values) {
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_floating_point_v<T>)
        setFloat(i, values[i]);
      else
        setInteger(i, values[i]);
  }

  /// Copies `count` elements of `from`, a tensor of the same kind, from `fromIndex` on to `index` on.
  void copyElements(int64_t index, const Tensor &from, int64_t fromIndex, int64_t count);
  /// The same elements under another shape that holds as many.
  Tensor reshaped(llvm::ArrayRef<int64_t> newShape) const;

  /// The elements as they lie in memory (f16 and bf16 as their bits, i1 as bytes 0 and 1); empty for strings. For
  /// handing buffers to compiled code.
  llvm::ArrayRef<char> getBytes() const { return bytes; }
  llvm::MutableArrayRef<char> getBytes() { return bytes; }
  /// Bytes of one element as it lies in memory; 0 for strings.
  int64_t getElementSize() const;

  /// Same kind, shape and elements, bit by bit; but any NaN equals any NaN.
  bool identical(const Tensor &other) const;

private:
  ElementKind kind;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<char> bytes;
  std::vector<std::string> strings;
};

/// A `!df.rows` value: `count` ascending distinct ids in ids[0, count) of [n] and their rows in rows[0, count) of
/// [n, row shape]. What lies from `count` on means nothing.
struct Rows {
  Tensor ids;
  Tensor rows;
  int64_t count = 0;

  /// Zeros of shape [numRows, row shape] with each row put at its id, all of which must lie in [0, numRows).
  Tensor densify(int64_t numRows) const;
};

/// What a df value may be.
using RuntimeValue = std::variant<Tensor, Rows>;

/// Prints `tensor<2x2xf32> [[1, 2], [3, 4]]`: numbers in the fewest digits that read back the same, strings quoted and
/// escaped.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Tensor &tensor);
/// Prints element `i` of `tensor` as it stands in that.
void printElement(llvm::raw_ostream &os, const Tensor &tensor, int64_t i);
/// Prints `rows {3: [1, 2], 7: [0, 5]}`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Rows &rows);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const RuntimeValue &value);

} // namespace mlc::interp

#endif // MLC_INTERPRETER_TENSOR_H
