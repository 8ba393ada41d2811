//===- SpecLayers.cpp - A spec with what it includes and what changes it -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"
#include "common/cli/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/NamePatterns.h"
#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"
#include "lib/Frontend/EstimatorSpec/Rules.h"
#include "lib/Frontend/EstimatorSpec/SpecChanges.h"
#include "lib/Frontend/EstimatorSpec/SpecManifest.h"
#include "lib/Frontend/EstimatorSpec/TextReader.h"
#include "mlc/Frontend/EstimatorSpec/OtherFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace mlc;
using namespace mlc::frontend;
using mlc::spec::v1::Estimator;

bool mlc::frontend::readSpecFile(llvm::StringRef path, const common::Message &place, std::string &text,
                                 common::MessageList &messages) {
  common::Message error = place;
  error.severity = common::Severity::Error;
  error.code = "E0114";
  const bool isOuter = error.place.file.empty();
  if (isOuter)
    error.place.file = path.str();
  auto fail = [&](const OtherFile &other) {
    error.what = (isOuter ? "this is " : "'" + path.str() + "' is ") + other.what;
    error.help = other.help;
    messages.add(error);
    return false;
  };
  if (llvm::sys::fs::is_directory(path))
    return fail(directoryKind(path));
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (buffer) {
    text = (*buffer)->getBuffer().str();
    std::optional<OtherFile> other = otherFileKind(path, text);
    return !other || fail(*other);
  }
  error.what = isOuter ? "cannot read the file: " + buffer.getError().message()
                       : "cannot read '" + path.str() + "': " + buffer.getError().message();
  llvm::StringRef directory = llvm::sys::path::parent_path(path);
  std::vector<std::string> names;
  std::error_code failure;
  for (llvm::sys::fs::directory_iterator it(directory.empty() ? "." : directory, failure), end; it != end && !failure;
       it.increment(failure))
    names.push_back(llvm::sys::path::filename(it->path()).str());
  if (!llvm::sys::fs::exists(path))
    error.help = common::didYouMean(llvm::sys::path::filename(path).str(), names);
  messages.add(std::move(error));
  return false;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

namespace {
/// Merges one layer into the spec, with its places.
class Merger {
public:
  explicit Merger(SpecDocument &document) : document_(document) {}

  /// `joined`: `to` had fields before, as another definition of the same thing.
  void merge(const ProtoMessage &from, ProtoMessage &to, bool joined) {
    if (document_.isDamaged(from))
      document_.setDamaged(to);
    std::vector<const ProtoField *> fields;
    from.GetReflection()->ListFields(from, &fields);
    for (const ProtoField *field : fields) {
      if (!field->is_repeated())
        mergeSingular(from, to, *field);
      else if (field->cpp_type() == ProtoField::CPPTYPE_MESSAGE)
        mergeMessages(from, to, *field, joined);
      else
        mergeScalars(from, to, *field, joined);
    }
    noteEmptyLists(from, to);
  }

private:
  /// Lists that are written as [] are told by their place alone.
  void noteEmptyLists(const ProtoMessage &from, const ProtoMessage &to) {
    for (int i = 0; i < from.GetDescriptor()->field_count(); ++i) {
      const ProtoField &field = *from.GetDescriptor()->field(i);
      if (ruleOf(field).may_be_empty() && from.GetReflection()->FieldSize(from, &field) == 0 &&
          to.GetReflection()->FieldSize(to, &field) == 0 && document_.spans(from, field).name)
        copySpans(from, field, 0, to, 0);
    }
  }

  void copySpans(const ProtoMessage &from, const ProtoField &field, int index, const ProtoMessage &to, int toIndex) {
    document_.setSpans(to, field, toIndex, document_.spans(from, field, index));
  }

  void mergeSingular(const ProtoMessage &from, ProtoMessage &to, const ProtoField &field) {
    const auto *reflection = to.GetReflection();
    if (const auto *oneof = field.containing_oneof())
      if (const ProtoField *other = reflection->GetOneofFieldDescriptor(to, oneof); other && other != &field)
        document_.forgetField(to, *other);
    bool joined = reflection->HasField(to, &field);
    copySpans(from, field, 0, to, 0);
    switch (field.cpp_type()) {
    case ProtoField::CPPTYPE_MESSAGE: {
      ProtoMessage &child = *reflection->MutableMessage(&to, &field);
      document_.setParent(child, to, field, 0);
      merge(reflection->GetMessage(from, &field), child, joined);
      break;
    }
    case ProtoField::CPPTYPE_BOOL:
      reflection->SetBool(&to, &field, reflection->GetBool(from, &field));
      break;
    case ProtoField::CPPTYPE_INT64:
      reflection->SetInt64(&to, &field, reflection->GetInt64(from, &field));
      break;
    case ProtoField::CPPTYPE_DOUBLE:
      reflection->SetDouble(&to, &field, reflection->GetDouble(from, &field));
      break;
    case ProtoField::CPPTYPE_ENUM:
      reflection->SetEnum(&to, &field, reflection->GetEnum(from, &field));
      break;
    default:
      reflection->SetString(&to, &field, reflection->GetString(from, &field));
    }
  }

  /// Whether a list holds the names that two definitions have in common: it stays as it is then.
  bool isSameNames(const ProtoMessage &from, const ProtoMessage &to, const ProtoField &field) {
    llvm::StringRef name = field.name();
    if (name == "term") {
      return columnNames(static_cast<const mlc::spec::v1::FeatureColumn &>(*columnOf(from))) ==
             columnNames(static_cast<const mlc::spec::v1::FeatureColumn &>(*columnOf(to)));
    }
    if (name != "key" && name != "name" && name != "categorical_column" && name != "categorical_columns")
      return false;
    const auto *reflection = to.GetReflection();
    int count = reflection->FieldSize(from, &field);
    if (count != reflection->FieldSize(to, &field))
      return false;
    for (int i = 0; i < count; ++i)
      if (reflection->GetRepeatedString(from, &field, i) != reflection->GetRepeatedString(to, &field, i))
        return false;
    return true;
  }
  const ProtoMessage *columnOf(const ProtoMessage &kind) { return document_.parent(kind); }

  void mergeScalars(const ProtoMessage &from, ProtoMessage &to, const ProtoField &field, bool joined) {
    if (joined && isSameNames(from, to, field))
      return;
    const auto *reflection = to.GetReflection();
    for (int i = 0; i < reflection->FieldSize(from, &field); ++i) {
      copySpans(from, field, i, to, reflection->FieldSize(to, &field));
      switch (field.cpp_type()) {
      case ProtoField::CPPTYPE_BOOL:
        reflection->AddBool(&to, &field, reflection->GetRepeatedBool(from, &field, i));
        break;
      case ProtoField::CPPTYPE_INT64:
        reflection->AddInt64(&to, &field, reflection->GetRepeatedInt64(from, &field, i));
        break;
      case ProtoField::CPPTYPE_DOUBLE:
        reflection->AddDouble(&to, &field, reflection->GetRepeatedDouble(from, &field, i));
        break;
      case ProtoField::CPPTYPE_ENUM:
        reflection->AddEnum(&to, &field, reflection->GetRepeatedEnum(from, &field, i));
        break;
      default:
        reflection->AddString(&to, &field, reflection->GetRepeatedString(from, &field, i));
      }
    }
  }

  /// The elements of a list by their names; of equal ones the first.
  using ElementsByNames = std::map<std::vector<std::string>, int>;

  static bool isNamed(const ProtoField &field) {
    const std::string &type = field.message_type()->name();
    return type == "Column" || type == "FeatureColumn" || type == "Eval" || type == "Head";
  }

  /// Of the first `count` elements of a list.
  static ElementsByNames elementsOf(const ProtoMessage &to, const ProtoField &field, int count) {
    ElementsByNames elements;
    for (int i = 0; isNamed(field) && i < count; ++i)
      elements.try_emplace(elementNames(to.GetReflection()->GetRepeatedMessage(to, &field, i)), i);
    return elements;
  }

  /// The element of `to`, of those in `elements`, that is another definition of `element`, or -1. `isOnly`: there is no
  /// other element beside it.
  static int findElement(const ProtoMessage &element, bool isOnly, const ProtoMessage &to, const ProtoField &field,
                         const ElementsByNames &elements) {
    if (elements.empty())
      return -1;
    const std::string &type = field.message_type()->name();
    std::vector<std::string> names = elementNames(element);
    // One head and one head are the same, unless both have names.
    if (type == "Head" && isOnly && to.GetReflection()->FieldSize(to, &field) == 1 &&
        (names.empty() || elements.begin()->first.empty()))
      return 0;
    if (names.empty() && type != "Eval")
      return -1;
    auto found = elements.find(names);
    return found == elements.end() ? -1 : found->second;
  }

  void mergeMessages(const ProtoMessage &from, ProtoMessage &to, const ProtoField &field, bool joined) {
    const auto *reflection = to.GetReflection();
    if (joined && isSameNames(from, to, field))
      return;
    // Two of one file are no merge but a mistake, which the checks find: those here before alone.
    const ElementsByNames before = elementsOf(to, field, reflection->FieldSize(to, &field));
    for (int i = 0; i < reflection->FieldSize(from, &field); ++i) {
      const ProtoMessage &element = reflection->GetRepeatedMessage(from, &field, i);
      int index = findElement(element, reflection->FieldSize(from, &field) == 1, to, field, before);
      const bool found = index >= 0;
      ProtoMessage &child =
          found ? *reflection->MutableRepeatedMessage(&to, &field, index) : *reflection->AddMessage(&to, &field);
      if (!found)
        index = reflection->FieldSize(to, &field) - 1;
      copySpans(from, field, i, to, index);
      document_.setParent(child, to, field, index);
      if (field.name() == "head" || field.name() == "eval")
        document_.setElementName(child, "");
      merge(element, child, found);
    }
  }

  SpecDocument &document_;
};

/// Reads a file and those it includes, the included ones first.
class Loader {
public:
  Loader(SpecDocument &document, common::MessageList &messages) : document_(document), messages_(messages) {}

  /// Merges the source and what it includes. False if a text is too broken to go on.
  bool load(int source) {
    Estimator &layer = document_.addLayer();
    bool sound = readSourceText(document_, source, layer, messages_);
    for (int i = 0; i < layer.include_size(); ++i)
      sound &= include(layer, i, source);
    Merger(document_).merge(layer, document_.spec(), /*joined=*/false);
    return sound;
  }

  bool loadFile(const std::string &shown, const common::Message &place) {
    llvm::SmallString<256> real;
    if (!llvm::sys::fs::real_path(shown, real) && !done_.insert(real).second)
      return true; // what is included on two ways counts once
    std::string text;
    if (!readSpecFile(shown, place, text, messages_))
      return false;
    return load(document_.addFile(shown, std::move(text), llvm::sys::path::parent_path(shown).str()));
  }

  void begin(llvm::StringRef file) {
    llvm::SmallString<256> real;
    if (!llvm::sys::fs::real_path(file, real)) {
      done_.insert(real);
      open_.push_back(real.str().str());
    }
  }

private:
  bool include(const Estimator &layer, int index, int source) {
    Span span = document_.spans(layer, "include", index).value;
    common::Message place = document_.makeError("E0113", span, "");
    place.field = "include[" + std::to_string(index) + "]";
    std::string expanded;
    place.what = expandVariables(layer.include(index), expanded);
    if (place.what.empty() && expanded.empty())
      place.what = "the path is empty";
    if (!place.what.empty()) {
      messages_.add(std::move(place));
      return false;
    }
    llvm::SmallString<256> path(expanded), real;
    if (!llvm::sys::path::is_absolute(path)) {
      path = document_.directory(source);
      llvm::sys::path::append(path, expanded);
    }
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (!llvm::sys::fs::real_path(path, real)) {
      if (llvm::is_contained(open_, real.str().str())) {
        place.code = "E0116";
        place.what = "'" + path.str().str() + "' includes itself";
        if (open_.back() != real)
          place.what += ", through '" + document_.file(source) + "'";
        messages_.add(std::move(place));
        return false;
      }
      open_.push_back(real.str().str());
    }
    bool sound = loadFile(path.str().str(), place);
    if (!real.empty())
      open_.pop_back();
    return sound;
  }

  SpecDocument &document_;
  common::MessageList &messages_;
  llvm::StringSet<> done_;
  std::vector<std::string> open_;
};
} // namespace

bool mlc::frontend::loadSpec(SpecDocument &document, const SpecOptions &options, common::MessageList &messages) {
  document.setDirectory(0, options.directory.empty() ? llvm::sys::path::parent_path(options.file).str()
                                                     : options.directory);
  Loader loader(document, messages);
  loader.begin(options.file);
  bool sound = loader.load(0);
  for (const SpecChange &change : options.changes) {
    if (change.kind != SpecChange::Overlay)
      continue;
    Loader overlay(document, messages);
    sound &= overlay.loadFile(change.text, common::Message());
  }
  document.spec().clear_include();
  // What is broken cannot be changed: names would be missing.
  if (!sound)
    return false;
  for (const SpecChange &change : options.changes)
    if (change.kind != SpecChange::Overlay)
      applyChange(document, change, messages); // what fails is told; the rest is checked all the same
  return true;
}

//===----------------------------------------------------------------------===//
// Changes at the start of a trainer
//===----------------------------------------------------------------------===//

/// The path that a change names.
static llvm::StringRef pathOf(const SpecChange &change) {
  llvm::StringRef path = change.text;
  if (change.kind == SpecChange::Set) {
    path = path.split('=').first;
    path.consume_back("+");
  }
  return path;
}

std::vector<std::string> mlc::frontend::takeStartChanges(const std::string &path, std::vector<SpecChange> &changes) {
  // What the trainer has when nothing is changed at its start: decided by the changes that are not of one scalar alone.
  auto mayStart = [](const SpecChange &change) {
    if (change.kind != SpecChange::Set)
      return false;
    const auto *type = Estimator::descriptor();
    const ProtoField *field = nullptr;
    llvm::StringRef rest = pathOf(change);
    while (!rest.empty() && type) {
      auto [name, after] = rest.split('.');
      // A component that is no field is the name of an element.
      if (const ProtoField *next = type->FindFieldByName(name.str())) {
        field = next;
        type = next->message_type();
      }
      rest = after;
    }
    return field && !type && ruleOf(*field).stage() == Rule::START;
  };
  if (llvm::none_of(changes, mayStart))
    return {};
  SpecOptions options;
  options.file = path;
  for (const SpecChange &change : changes)
    if (!mayStart(change))
      options.changes.push_back(change);
  std::string text;
  common::MessageList messages;
  if (!readSpecFile(path, common::Message(), text, messages))
    return {};
  SpecDocument document(path, std::move(text));
  if (!loadSpec(document, options, messages))
    return {};
  ResolvedSpec resolved = resolveSpec(document, messages);
  if (messages.hasErrors())
    return {};
  common::SettingsTable settings = specSettings(document, resolved);
  std::vector<std::string> taken;
  std::vector<SpecChange> kept;
  for (auto [i, change] : llvm::enumerate(changes)) {
    const common::Setting *setting = mayStart(change) ? settings.find(pathOf(change).str()) : nullptr;
    bool start = setting && setting->stage == common::SettingStage::Start;
    for (const SpecChange &later : llvm::ArrayRef(changes).drop_front(i + 1))
      start &= later.kind == SpecChange::Overlay || mayStart(later) || !pathOf(change).starts_with(pathOf(later));
    // Instead of what is taken away: without both the message may be none that compiles (a cut by column, not by
    // share).
    for (const SpecChange &other : changes)
      start &= other.kind != SpecChange::Unset || pathOf(other).rsplit('.').first != pathOf(change).rsplit('.').first;
    if (start)
      taken.push_back(change.text);
    else
      kept.push_back(change);
  }
  changes = std::move(kept);
  return taken;
}
