//===- SpecChanges.cpp - Changes a spec by path: --set and --unset -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SpecChanges.h"
#include "common/cli/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/NamePatterns.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"
#include "lib/Frontend/EstimatorSpec/SchemaNames.h"
#include "lib/Frontend/EstimatorSpec/TextReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlc;
using namespace mlc::frontend;
using mlc::spec::v1::Column;
using mlc::spec::v1::Estimator;
using mlc::spec::v1::FeatureColumn;

/// Most candidates that an error lists.
static constexpr size_t kMaxCandidates = 6;

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Whether the elements of a list may go without a name in paths: "eval.files".
static bool mayLackName(const ProtoField &field) { return field.name() == "eval" || field.name() == "head"; }

static void addPaths(const google::protobuf::Descriptor &type, const ProtoMessage *message, const std::string &prefix,
                     std::vector<std::string> &paths) {
  for (int i = 0; i < type.field_count(); ++i) {
    const ProtoField &field = *type.field(i);
    std::string path = prefix + field.name();
    if (field.name() == "include" || field.is_map())
      continue;
    paths.push_back(path);
    if (field.cpp_type() != ProtoField::CPPTYPE_MESSAGE)
      continue;
    if (!field.is_repeated()) {
      bool has = message && message->GetReflection()->HasField(*message, &field);
      addPaths(*field.message_type(), has ? &message->GetReflection()->GetMessage(*message, &field) : nullptr,
               path + ".", paths);
      continue;
    }
    int count = message ? message->GetReflection()->FieldSize(*message, &field) : 0;
    for (int k = 0; k < count; ++k) {
      const ProtoMessage &element = message->GetReflection()->GetRepeatedMessage(*message, &field, k);
      std::vector<std::string> names = elementNames(element);
      if (names.empty() && !mayLackName(field))
        names.push_back(std::to_string(k));
      if (names.empty())
        addPaths(*field.message_type(), &element, path + ".", paths);
      for (const std::string &name : names) {
        // Of a feature column only what its kind has: another kind would be another column.
        size_t before = paths.size();
        addPaths(*field.message_type(), &element, path + "." + name + ".", paths);
        const ProtoMessage *kind =
            field.name() == "feature_column" ? kindMessage(static_cast<const FeatureColumn &>(element)) : nullptr;
        if (!kind)
          continue;
        std::string kindName =
            FeatureColumn::descriptor()
                ->FindFieldByNumber(static_cast<int>(static_cast<const FeatureColumn &>(element).kind_case()))
                ->name();
        std::string start = path + "." + name + ".";
        auto isOther = [&](const std::string &candidate) {
          llvm::StringRef rest = llvm::StringRef(candidate).drop_front(start.size());
          const ProtoField *first = FeatureColumn::descriptor()->FindFieldByName(rest.split('.').first.str());
          return first && first->containing_oneof() && first->name() != kindName;
        };
        paths.erase(std::remove_if(paths.begin() + before, paths.end(), isOther), paths.end());
      }
    }
    if (count == 0 && mayLackName(field))
      addPaths(*field.message_type(), nullptr, path + ".", paths);
  }
}

std::vector<std::string> mlc::frontend::settablePaths(const Estimator &spec) {
  std::vector<std::string> paths;
  addPaths(*Estimator::descriptor(), &spec, "", paths);
  return paths;
}

namespace {

/// Applies one change.
class Changer {
public:
  Changer(SpecDocument &document, const SpecChange &change, common::MessageList &messages)
      : document_(document), change_(change), messages_(messages),
        flag_(change.kind == SpecChange::Set ? "--set" : "--unset") {}

  bool apply();

private:
  struct Target {
    ProtoMessage *message = nullptr;
    const ProtoField *field = nullptr;
    /// Of a list of messages; -1: the list.
    int element = -1;
  };

  bool resolve(Target &target);
  int findElement(ProtoMessage &message, const ProtoField &field, llvm::StringRef &rest);
  int splitElement(ProtoMessage &list, const ProtoField &field, int index, const std::string &name);
  ProtoMessage &child(ProtoMessage &message, const ProtoField &field);
  bool set(const Target &target);
  bool setMessage(const Target &target);
  void unset(const Target &target);
  void removeElement(ProtoMessage &message, const ProtoField &field, int index);
  void clear(ProtoMessage &message, const ProtoField &field);
  void setPlace(ProtoMessage &message, const ProtoField &field, int index);

  common::Message error(std::string code, std::string what) {
    common::Message message = common::makeError(std::move(code), std::move(what));
    message.place.file = flag_ + " " + change_.text;
    return message;
  }
  bool unknown(const google::protobuf::Descriptor &type, llvm::StringRef name);
  bool unknownElement(const ProtoMessage &message, const ProtoField &field, llvm::StringRef rest);

  SpecDocument &document_;
  const SpecChange &change_;
  common::MessageList &messages_;
  std::string flag_;
  std::string path_;
  std::string value_;
  bool append_ = false;
  int source_ = 0;
};

} // namespace

/// Reports a component that is no field of `type`, with the full paths that may be meant.
bool Changer::unknown(const google::protobuf::Descriptor &type, llvm::StringRef name) {
  common::Message message = error("E0211", "unknown path '" + path_ + "': '" + name.str() + "' is no field of " +
                                               (&type == Estimator::descriptor() ? "a spec" : type.name()));
  std::vector<std::string> all = settablePaths(document_.spec()), fitting;
  for (const std::string &candidate : all)
    if (llvm::StringRef(candidate).ends_with("." + path_))
      fitting.push_back(candidate);
  if (!fitting.empty()) {
    // A tail that is unique today is ambiguous tomorrow, so only full paths are taken; the candidates are shown.
    size_t more = fitting.size() > kMaxCandidates ? fitting.size() - kMaxCandidates : 0;
    fitting.resize(fitting.size() - more);
    message.help = "full paths only: " + llvm::join(fitting, ", ");
    if (more)
      message.help += " and " + std::to_string(more) + " more";
  } else {
    message.help = common::didYouMean(path_, all);
    if (message.help.empty())
      message.help = unknownFieldHelp(type, name);
  }
  messages_.add(std::move(message));
  return false;
}

bool Changer::unknownElement(const ProtoMessage &message, const ProtoField &field, llvm::StringRef rest) {
  std::vector<std::string> names;
  const auto *reflection = message.GetReflection();
  for (int i = 0; i < reflection->FieldSize(message, &field); ++i)
    for (std::string &name : elementNames(reflection->GetRepeatedMessage(message, &field, i)))
      names.push_back(std::move(name));
  std::string given = rest.split('.').first.str();
  common::Message result =
      error("E0211", "unknown path '" + path_ + "': no " + field.name() + " is called '" + given + "'");
  result.help = common::didYouMean(given, names);
  if (names.empty())
    result.expected = "an index below " + std::to_string(reflection->FieldSize(message, &field));
  else if (names.size() <= 4 * kMaxCandidates)
    result.expected = "one of " + llvm::join(names, ", ");
  messages_.add(std::move(result));
  return false;
}

/// The element of a list that the start of `rest` names, which is cut off; -1 if there is none. An element without a
/// name takes nothing of `rest`.
int Changer::findElement(ProtoMessage &message, const ProtoField &field, llvm::StringRef &rest) {
  const auto *reflection = message.GetReflection();
  int count = reflection->FieldSize(message, &field);
  int found = -1, unnamed = -1;
  std::string name;
  bool whole = true;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> names = elementNames(reflection->GetRepeatedMessage(message, &field, i));
    if (names.empty() || (field.name() == "head" && count == 1))
      unnamed = i;
    for (const std::string &candidate : names)
      // Names may have dots: the longest that fits.
      if (candidate.size() > name.size() && (rest == candidate || rest.starts_with(candidate + "."))) {
        found = i;
        name = candidate;
        whole = names.size() == 1;
      }
  }
  if (found >= 0) {
    rest = rest.drop_front(name.size());
    rest.consume_front(".");
    return whole ? found : splitElement(message, field, found, name);
  }
  auto [first, after] = rest.split('.');
  if (int index = 0; !first.getAsInteger(10, index)) {
    if (index < 0 || index >= count)
      return -1;
    rest = after;
    return index;
  }
  if (!mayLackName(field) || !field.message_type()->FindFieldByName(first.str()))
    return -1;
  if (unnamed >= 0 || count > 0 || change_.kind == SpecChange::Unset)
    return unnamed;
  ProtoMessage *added = reflection->AddMessage(&message, &field);
  document_.setParent(*added, message, field, 0);
  document_.setElementName(*added, "");
  setPlace(message, field, 0);
  return 0;
}

/// Takes what is called `name` out of element `index`, which declares several, into a new element. Returns its index.
int Changer::splitElement(ProtoMessage &list, const ProtoField &field, int index, const std::string &name) {
  const auto *reflection = list.GetReflection();
  ProtoMessage &original = *reflection->MutableRepeatedMessage(&list, &field, index);
  auto keysOf = [](ProtoMessage &element) -> std::pair<ProtoMessage *, const ProtoField *> {
    if (element.GetDescriptor() == Column::descriptor())
      return {&element, Column::descriptor()->FindFieldByName("name")};
    auto &kind = const_cast<ProtoMessage &>(*kindMessage(static_cast<FeatureColumn &>(element)));
    return {&kind, elementField(kind)};
  };
  auto [holder, keys] = keysOf(original);
  // The keys of all, each with the place it was written at, in the order of their names.
  std::vector<std::string> names = elementNames(original);
  std::vector<std::string> texts;
  std::vector<FieldSpans> places;
  for (int i = 0; i < holder->GetReflection()->FieldSize(*holder, keys); ++i) {
    expandRanges(holder->GetReflection()->GetRepeatedString(*holder, keys, i), texts);
    places.resize(texts.size(), document_.spans(*holder, *keys, i));
  }
  ProtoMessage *copy = reflection->AddMessage(&list, &field);
  int copyIndex = reflection->FieldSize(list, &field) - 1;
  document_.copy(original, *copy);
  document_.setSpans(list, field, copyIndex, document_.spans(list, field, index));
  document_.setParent(*copy, list, field, copyIndex);
  auto rewrite = [&](ProtoMessage &element, bool one) {
    auto [target, list] = keysOf(element);
    clear(*target, *list);
    int count = 0;
    for (auto [i, text] : llvm::enumerate(texts)) {
      if ((names[i] == name) != one)
        continue;
      std::string escaped;
      for (char c : text)
        escaped += c == '[' ? std::string("[[") : std::string(1, c);
      target->GetReflection()->AddString(target, list, escaped);
      document_.setSpans(*target, *list, count++, places[i]);
    }
  };
  rewrite(original, false);
  rewrite(*copy, true);
  return copyIndex;
}

void Changer::setPlace(ProtoMessage &message, const ProtoField &field, int index) {
  Span span = {1, 1, 1, source_};
  document_.setSpans(message, field, index, {span, span});
}

/// The message in a singular field, made if it is not there; another member of its oneof goes.
ProtoMessage &Changer::child(ProtoMessage &message, const ProtoField &field) {
  const auto *reflection = message.GetReflection();
  if (!reflection->HasField(message, &field)) {
    if (const auto *oneof = field.containing_oneof())
      if (const ProtoField *other = reflection->GetOneofFieldDescriptor(message, oneof))
        document_.forgetField(message, *other);
    setPlace(message, field, 0);
  }
  ProtoMessage &result = *reflection->MutableMessage(&message, &field);
  document_.setParent(result, message, field, 0);
  return result;
}

/// Follows the path; what is missing on the way is made, unless there is nothing to set in it.
bool Changer::resolve(Target &target) {
  ProtoMessage *message = &document_.spec();
  llvm::StringRef rest = path_;
  while (true) {
    auto [name, after] = rest.split('.');
    const ProtoField *field = message->GetDescriptor()->FindFieldByName(name.str());
    if (field && (field->name() == "include" || field->is_map())) {
      messages_.add(error("E0211", "'" + path_ + "' cannot be set from outside of a file"));
      return false;
    }
    if (!field || (after.empty() && rest.ends_with(".")))
      return unknown(*message->GetDescriptor(), field ? after : name);
    rest = after;
    target = {message, field, -1};
    if (rest.empty())
      return true;
    if (field->cpp_type() != ProtoField::CPPTYPE_MESSAGE) {
      common::Message wrong = error("E0211", "unknown path '" + path_ + "': '" + name.str() + "' has no parts");
      wrong.expected = expectedValue(*field);
      messages_.add(std::move(wrong));
      return false;
    }
    if (!field->is_repeated()) {
      // The path is checked before anything is made.
      llvm::StringRef next = rest.split('.').first;
      const ProtoField *inner = field->message_type()->FindFieldByName(next.str());
      if (!inner)
        return unknown(*field->message_type(), next);
      if (change_.kind == SpecChange::Unset && !message->GetReflection()->HasField(*message, field)) {
        target.message = nullptr; // nothing there to take away
        return true;
      }
      message = &child(*message, *field);
      continue;
    }
    int index = findElement(*message, *field, rest);
    if (index < 0)
      return unknownElement(*message, *field, rest);
    target.element = index;
    if (rest.empty())
      return true;
    message = message->GetReflection()->MutableRepeatedMessage(message, field, index);
  }
}

void Changer::clear(ProtoMessage &message, const ProtoField &field) {
  document_.forgetField(message, field);
  message.GetReflection()->ClearField(&message, &field);
}

bool Changer::setMessage(const Target &target) {
  ProtoMessage &message = *target.message;
  const ProtoField &field = *target.field;
  const auto *reflection = message.GetReflection();
  ProtoMessage *value = nullptr;
  if (!field.is_repeated()) {
    clear(message, field);
    value = &child(message, field);
  } else if (target.element >= 0) {
    value = reflection->MutableRepeatedMessage(&message, &field, target.element);
    document_.forget(*value);
    value->Clear();
    document_.setParent(*value, message, field, target.element);
  } else {
    if (!append_)
      clear(message, field);
    value = reflection->AddMessage(&message, &field);
    int index = reflection->FieldSize(message, &field) - 1;
    document_.setParent(*value, message, field, index);
    setPlace(message, field, index);
  }
  if (mayLackName(field))
    document_.setElementName(*value, "");
  return readSourceText(document_, source_, *value, messages_);
}

bool Changer::set(const Target &target) {
  ProtoMessage &message = *target.message;
  const ProtoField &field = *target.field;
  if (append_ && !field.is_repeated()) {
    common::Message wrong = error("E0213", "'" + path_ + "' has a single value; += appends to a list");
    wrong.help = "--set " + path_ + "=" + value_;
    messages_.add(std::move(wrong));
    return false;
  }
  if (field.cpp_type() == ProtoField::CPPTYPE_MESSAGE)
    return setMessage(target);
  if (!append_)
    clear(message, field);
  if (const auto *oneof = field.containing_oneof())
    if (const ProtoField *other = message.GetReflection()->GetOneofFieldDescriptor(message, oneof))
      document_.forgetField(message, *other);
  if (field.cpp_type() != ProtoField::CPPTYPE_STRING) {
    size_t errors = messages_.errorCount();
    if (!field.is_repeated() && value_.empty()) {
      common::Message wrong = error("E0105", "'" + field.name() + "' needs a value");
      wrong.expected = expectedValue(field);
      messages_.add(std::move(wrong));
      return false;
    }
    return readValueText(document_, source_, message, field, messages_) && messages_.errorCount() == errors;
  }
  const auto *reflection = message.GetReflection();
  if (!field.is_repeated()) {
    reflection->SetString(&message, &field, value_);
    setPlace(message, field, 0);
    return true;
  }
  llvm::SmallVector<llvm::StringRef> parts;
  if (!value_.empty())
    llvm::StringRef(value_).split(parts, ',');
  for (llvm::StringRef part : parts) {
    setPlace(message, field, reflection->FieldSize(message, &field));
    reflection->AddString(&message, &field, part.str());
  }
  return true;
}

void Changer::removeElement(ProtoMessage &message, const ProtoField &field, int index) {
  const auto *reflection = message.GetReflection();
  int last = reflection->FieldSize(message, &field) - 1;
  document_.forget(reflection->GetRepeatedMessage(message, &field, index));
  for (int i = index; i < last; ++i) {
    reflection->SwapElements(&message, &field, i, i + 1);
    document_.setSpans(message, field, i, document_.spans(message, field, i + 1));
    document_.setParent(reflection->GetRepeatedMessage(message, &field, i), message, field, i);
  }
  document_.setSpans(message, field, last, {});
  reflection->RemoveLast(&message, &field);
}

void Changer::unset(const Target &target) {
  if (!target.message)
    return;
  if (target.element >= 0)
    removeElement(*target.message, *target.field, target.element);
  else
    clear(*target.message, *target.field);
}

bool Changer::apply() {
  llvm::StringRef text = change_.text;
  path_ = text.str();
  if (change_.kind == SpecChange::Set) {
    size_t equals = text.find('=');
    if (equals == llvm::StringRef::npos || equals == 0) {
      common::Message wrong = common::makeError("E0203", "'" + change_.text + "' is not a value of --set");
      wrong.expected = "PATH=VALUE or PATH+=VALUE";
      messages_.add(std::move(wrong));
      return false;
    }
    append_ = text[equals - 1] == '+';
    path_ = text.take_front(equals - append_).str();
    value_ = text.drop_front(equals + 1).str();
  }
  source_ = document_.addArgument(flag_, change_.text, value_);
  Target target;
  if (!resolve(target))
    return false;
  if (change_.kind == SpecChange::Set)
    return set(target);
  unset(target);
  return true;
}

bool mlc::frontend::applyChange(SpecDocument &document, const SpecChange &change, common::MessageList &messages) {
  return Changer(document, change, messages).apply();
}
