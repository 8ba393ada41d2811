//===- SpecDocument.h - A spec as read: values, where they stand, their paths -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SPECDOCUMENT_H
#define LIB_FRONTEND_ESTIMATORSPEC_SPECDOCUMENT_H

#include "common/cli/Message.h"
#include "lib/Frontend/EstimatorSpec/estimator.pb.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

#include <deque>
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
  /// Of the document: a file or an argument.
  int source = 0;
  explicit operator bool() const { return line > 0; }
};

/// The two places of a field: its name, and its value (of a message: the opening brace).
struct FieldSpans {
  Span name;
  Span value;
};

/// A field that had another name in an earlier version.
struct Rename {
  std::string message;
  std::string oldName;
  std::string newName;
  /// The version with the new name.
  std::string since;
};

/// The names that have changed, for good: an old name is read with a warning, and `spec upgrade` rewrites it.
const std::vector<Rename> &renames();

/// A spec with the place of every value, which may come from several sources: the file, what it includes, overlays, and
/// arguments (--set). Messages must not move once they have places: repeated fields of messages keep their elements
/// where they are, so adding is fine; forget() comes before clearing.
class SpecDocument {
public:
  /// Source 0: `file` is what messages call it; `text` is its content.
  SpecDocument(std::string file, std::string text);

  /// The names that have changed; renames() unless a test says otherwise.
  const std::vector<Rename> &renamed() const { return *renamed_; }
  void setRenamed(const std::vector<Rename> &table) { renamed_ = &table; }

  /// Adds another file; paths in it are relative to `directory`. Returns the number of the source.
  int addFile(std::string file, std::string text, std::string directory);
  /// Adds an argument, which messages show as it was typed: `flag` ("--set") and `argument`; `text` is the part of it
  /// that is a value.
  int addArgument(std::string flag, std::string argument, std::string text);
  int sourceCount() const { return static_cast<int>(sources_.size()); }
  /// What relative paths of a source are relative to; empty: the current directory.
  const std::string &directory(int source) const { return sources_[source].directory; }
  void setDirectory(int source, std::string directory) { sources_[source].directory = std::move(directory); }
  /// "base.pbtxt:12" or "--set".
  std::string origin(Span span) const;

  mlc::spec::v1::Estimator &spec() { return spec_; }
  const mlc::spec::v1::Estimator &spec() const { return spec_; }
  const std::string &file(int source = 0) const { return sources_[source].file; }
  const std::string &text(int source = 0) const { return sources_[source].text; }
  /// Line `number` of a source, counted from 1, without its end; empty outside.
  llvm::StringRef line(int64_t number, int source = 0) const;
  /// An empty spec for one source, to be merged into spec().
  mlc::spec::v1::Estimator &addLayer();

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
  /// The message that `child` is in; null for the root.
  const ProtoMessage *parent(const ProtoMessage &child) const;
  /// Makes `to`, which is empty, equal to `from`, with the places of its values.
  void copy(const ProtoMessage &from, ProtoMessage &to);
  /// Names an element of a list in paths: "feature_column.age". Without a name it is its index; the empty name leaves
  /// the element out ("eval.files").
  void setElementName(const ProtoMessage &message, std::string name) { elementNames_[&message] = std::move(name); }
  /// Dotted path of a message from the root; empty for the root.
  std::string path(const ProtoMessage &message) const;
  /// Dotted path of a field, with "[index]" if index >= 0.
  std::string path(const ProtoMessage &message, llvm::StringRef field, int index = -1) const;

  /// Drops all that is noted of a field of a message and of what is in it.
  void forgetField(const ProtoMessage &message, const ProtoField &field);
  /// Drops all that is noted of a message and of what is in it.
  void forget(const ProtoMessage &message);

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

  struct Source {
    std::string file;
    std::string text;
    std::string directory;
    /// The flag of an argument: it has no lines to point at.
    std::string flag;
    std::vector<llvm::StringRef> lines;
  };
  int addSource(Source source);
  void copyNotes(const ProtoMessage &from, const ProtoMessage &to);

  const std::vector<Rename> *renamed_ = &renames();
  std::deque<Source> sources_;
  std::deque<mlc::spec::v1::Estimator> layers_;
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
