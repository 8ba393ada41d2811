//===- SpecDocument.h - A spec as read: values, where they stand, their paths -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SPECDOCUMENT_H
#define LIB_FRONTEND_ESTIMATORSPEC_SPECDOCUMENT_H

#include "common/Message.h"
#include "lib/Frontend/EstimatorSpec/estimator.pb.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mlc::frontend {

using ProtoMessage = google::protobuf::Message;
using ProtoField = google::protobuf::FieldDescriptor;

/// Where a piece of text stands: line and columns count from 1, columns in bytes; line 0 is nowhere.
struct Span {
  int64_t line = 0;
  int64_t column = 0;
  /// One past the last column.
  int64_t endColumn = 0;
  explicit operator bool() const { return line > 0; }
};

/// The two places of a field: its name, and its value (of a message: the opening brace).
struct FieldSpans {
  Span name;
  Span value;
};

/// A spec with the place of every value. Messages must not move once they have places: repeated fields of messages
/// keep their elements where they are, so adding is fine.
class SpecDocument {
public:
  /// `file` is what messages call it; `text` is its content.
  SpecDocument(std::string file, std::string text);

  mlc::spec::v1::Estimator &spec() { return spec_; }
  const mlc::spec::v1::Estimator &spec() const { return spec_; }
  const std::string &file() const { return file_; }
  const std::string &text() const { return text_; }
  /// Line `number`, counted from 1, without its end; empty outside.
  llvm::StringRef line(int64_t number) const;

  /// Notes where element `index` (0 for a singular field) of a field stands.
  void setSpans(const ProtoMessage &message, const ProtoField &field, int index, FieldSpans spans);
  /// The places of an element; both nowhere if it was not written.
  FieldSpans spans(const ProtoMessage &message, const ProtoField &field, int index = 0) const;
  /// The same by name of the field.
  FieldSpans spans(const ProtoMessage &message, llvm::StringRef field, int index = 0) const;
  /// Where the message begins: its field's name; for the root the start of the file.
  Span start(const ProtoMessage &message) const;

  /// Notes that `child` is element `index` of `field` of `parent`.
  void setParent(const ProtoMessage &child, const ProtoMessage &parent, const ProtoField &field, int index);
  /// Names an element of a list in paths: "feature_column.age". Without a name it is its index; the empty name leaves
  /// the element out ("eval.files").
  void setElementName(const ProtoMessage &message, std::string name) { elementNames_[&message] = std::move(name); }
  /// Dotted path of a message from the root; empty for the root.
  std::string path(const ProtoMessage &message) const;
  /// Dotted path of a field, with "[index]" if index >= 0.
  std::string path(const ProtoMessage &message, llvm::StringRef field, int index = -1) const;

  /// Marks a message in which something could not be read: what it lacks is not an error of its own.
  void setDamaged(const ProtoMessage &message) { damaged_.insert(&message); }
  bool isDamaged(const ProtoMessage &message) const { return damaged_.contains(&message); }

  /// The place in the form of messages.
  common::Place place(Span span, std::string label = {}) const;
  /// An error at `span` with its source line.
  common::Message makeError(std::string code, Span span, std::string what) const;

private:
  struct Parent {
    const ProtoMessage *message;
    const ProtoField *field;
    int index;
  };

  std::string file_;
  std::string text_;
  std::vector<llvm::StringRef> lines_;
  mlc::spec::v1::Estimator spec_;
  std::map<std::tuple<const ProtoMessage *, int, int>, FieldSpans> spans_;
  llvm::DenseMap<const ProtoMessage *, Parent> parents_;
  llvm::DenseMap<const ProtoMessage *, std::string> elementNames_;
  llvm::DenseSet<const ProtoMessage *> damaged_;
};

/// Names in a list as messages show them: "'a', 'b' or 'c'".
std::string orList(llvm::ArrayRef<std::string> names);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SPECDOCUMENT_H
