//===- Rules.cpp - Checks the rules that stand in the schema -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/Rules.h"
#include "common/settings/Settings.h"
#include "lib/Frontend/EstimatorSpec/SchemaNames.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

using namespace mlc;
using namespace mlc::frontend;

const mlc::Rule &mlc::frontend::ruleOf(const ProtoField &field) { return field.options().GetExtension(mlc::rule); }

/// A number as the user would type it.
static std::string numberText(double value) { return common::settingText(common::SettingScalar(value)); }

static std::string elementText(const ProtoMessage &message, const ProtoField &field, int index) {
  const auto *reflection = message.GetReflection();
  if (field.cpp_type() == ProtoField::CPPTYPE_INT64)
    return std::to_string(field.is_repeated() ? reflection->GetRepeatedInt64(message, &field, index)
                                              : reflection->GetInt64(message, &field));
  return numberText(field.is_repeated() ? reflection->GetRepeatedDouble(message, &field, index)
                                        : reflection->GetDouble(message, &field));
}

static double elementNumber(const ProtoMessage &message, const ProtoField &field, int index) {
  const auto *reflection = message.GetReflection();
  if (field.cpp_type() == ProtoField::CPPTYPE_INT64)
    return static_cast<double>(field.is_repeated() ? reflection->GetRepeatedInt64(message, &field, index)
                                                   : reflection->GetInt64(message, &field));
  return field.is_repeated() ? reflection->GetRepeatedDouble(message, &field, index)
                             : reflection->GetDouble(message, &field);
}

std::string mlc::frontend::boundsText(const ProtoField &field) {
  const Rule &rule = ruleOf(field);
  bool low = rule.has_min() || rule.has_min_exclusive(), high = rule.has_max() || rule.has_max_exclusive();
  if (!low && !high)
    return {};
  std::string lowText = numberText(rule.has_min() ? rule.min() : rule.min_exclusive());
  std::string highText = numberText(rule.has_max() ? rule.max() : rule.max_exclusive());
  std::string text = expectedValue(field);
  if (low && high)
    return text + " in " + (rule.has_min() ? "[" : "(") + lowText + ", " + highText + (rule.has_max() ? "]" : ")");
  if (low)
    return text + (rule.has_min() ? " >= " : " > ") + lowText;
  return text + (rule.has_max() ? " <= " : " < ") + highText;
}

static bool isWithin(const Rule &rule, double value) {
  return !(rule.has_min() && !(value >= rule.min())) && !(rule.has_max() && !(value <= rule.max())) &&
         !(rule.has_min_exclusive() && !(value > rule.min_exclusive())) &&
         !(rule.has_max_exclusive() && !(value < rule.max_exclusive()));
}

namespace {
class RuleChecker {
public:
  RuleChecker(const SpecDocument &document, common::MessageList &messages) : document_(document), messages_(messages) {}

  void check(const ProtoMessage &message) {
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const ProtoField &field = *message.GetDescriptor()->field(i);
      if (field.is_map())
        continue;
      checkField(message, field);
      if (ruleOf(field).has_excludes())
        checkExcludes(message, field);
      if (field.cpp_type() == ProtoField::CPPTYPE_MESSAGE)
        checkChildren(message, field);
    }
    for (int i = 0; i < message.GetDescriptor()->oneof_decl_count(); ++i)
      checkChoice(message, *message.GetDescriptor()->oneof_decl(i));
  }

private:
  static int countOf(const ProtoMessage &message, const ProtoField &field) {
    const auto *reflection = message.GetReflection();
    return field.is_repeated() ? reflection->FieldSize(message, &field) : reflection->HasField(message, &field);
  }

  void checkChildren(const ProtoMessage &message, const ProtoField &field) {
    const auto *reflection = message.GetReflection();
    for (int i = 0, n = countOf(message, field); i < n; ++i)
      check(field.is_repeated() ? reflection->GetRepeatedMessage(message, &field, i)
                                : reflection->GetMessage(message, &field));
  }

  void checkField(const ProtoMessage &message, const ProtoField &field) {
    const Rule &rule = ruleOf(field);
    int count = countOf(message, field);
    const bool isEmptyList = rule.may_be_empty() && document_.spans(message, field).name;
    if (rule.required() && count == 0 && !isEmptyList && !document_.isDamaged(message)) {
      std::string whole = document_.path(message).empty() ? "the spec" : message.GetDescriptor()->name();
      common::Message error =
          document_.makeError("E0107", document_.start(message), whole + " needs '" + field.name() + "'");
      error.field = document_.path(message, field.name());
      error.expected = field.cpp_type() == ProtoField::CPPTYPE_MESSAGE ? field.name() + " { ... }"
                       : boundsText(field).empty()                     ? expectedValue(field)
                                                                       : boundsText(field);
      messages_.add(std::move(error));
    }
    bool number = field.cpp_type() == ProtoField::CPPTYPE_INT64 || field.cpp_type() == ProtoField::CPPTYPE_DOUBLE;
    for (int i = 0; number && i < count; ++i)
      checkBounds(message, field, i);
    if (rule.has_characters() && !field.is_repeated() && count > 0)
      checkCharacters(message, field);
    if (count > 0 && count < rule.min_size() && !document_.isDamaged(message)) {
      common::Message error =
          document_.makeError("E0108", document_.start(message),
                              message.GetDescriptor()->name() + " needs at least " + std::to_string(rule.min_size()) +
                                  " of '" + field.name() + "'; found " + std::to_string(count));
      error.field = document_.path(message, field.name());
      messages_.add(std::move(error));
    }
    if (rule.growing())
      checkGrowing(message, field, count);
    if (rule.unique())
      checkUnique(message, field, count);
  }

  void checkCharacters(const ProtoMessage &message, const ProtoField &field) {
    std::string text = message.GetReflection()->GetString(message, &field);
    const std::string &characters = ruleOf(field).characters();
    if (llvm::Regex("^[" + characters + "]+$").match(text))
      return;
    common::Message error = document_.makeError("E0112", document_.spans(message, field, 0).value,
                                                "'" + field.name() + "' cannot be '" + text + "'");
    error.field = document_.path(message, field.name());
    error.expected = "characters of [" + characters + "]";
    messages_.add(std::move(error));
  }

  /// How strongly a place is meant: an include, the file, an argument.
  int strength(Span span) const { return document_.place(span).line == 0 ? 2 : span.source == 0 ? 1 : 0; }

  /// Two fields of which one may be set: reported where the stronger of them stands.
  void checkExcludes(const ProtoMessage &message, const ProtoField &field) {
    const ProtoField *other = message.GetDescriptor()->FindFieldByName(ruleOf(field).excludes());
    auto isSet = [&](const ProtoField &each) {
      const bool isOff = !each.is_repeated() && each.cpp_type() == ProtoField::CPPTYPE_BOOL &&
                         !message.GetReflection()->GetBool(message, &each);
      return !isOff && countOf(message, each) > 0 && document_.spans(message, each).name;
    };
    if (!isSet(field) || !isSet(*other))
      return;
    Span span = document_.spans(message, field).name, otherSpan = document_.spans(message, *other).name;
    const ProtoField *weak = other, *strong = &field;
    auto rank = [&](Span place) { return std::make_tuple(strength(place), place.line, place.column); };
    if (rank(otherSpan) > rank(span)) {
      std::swap(weak, strong);
      std::swap(span, otherSpan);
    }
    std::string where = document_.origin(otherSpan);
    common::Message error = document_.makeError("E0131", span,
                                                "'" + field.name() + "' and '" + other->name() + "' are both set (" +
                                                    weak->name() + ": " + where + ")");
    error.field = document_.path(message, strong->name());
    error.expected = "one of them";
    bool apart = otherSpan.source != span.source;
    if (apart)
      error.help = "--unset " + document_.path(message, weak->name()) + ", or remove it from " + where;
    error.related.push_back(document_.place(otherSpan, "'" + weak->name() + "'"));
    messages_.add(std::move(error));
  }

  void checkChoice(const ProtoMessage &message, const google::protobuf::OneofDescriptor &choice) {
    if (!choice.options().GetExtension(mlc::choice).required() || document_.isDamaged(message) ||
        message.GetReflection()->HasOneof(message, &choice))
      return;
    common::Message error = document_.makeError("E0107", document_.start(message),
                                                message.GetDescriptor()->name() + " needs a " + choice.name());
    error.field = document_.path(message);
    constexpr int kMost = 4;
    int count = choice.field_count(), shown = count > kMost ? kMost - 1 : count;
    for (int i = 0; i < shown; ++i) {
      bool last = i + 1 == count;
      const ProtoField &member = *choice.field(i);
      bool block = member.cpp_type() == ProtoField::CPPTYPE_MESSAGE;
      error.expected += (i == 0 ? "" : last ? " or " : ", ") + member.name() + (block ? " { ... }" : ": \"...\"");
    }
    if (shown < count)
      error.expected += " or another " + choice.name();
    messages_.add(std::move(error));
  }

  void checkBounds(const ProtoMessage &message, const ProtoField &field, int index) {
    const double value = elementNumber(message, field, index);
    const bool isInteger = field.cpp_type() == ProtoField::CPPTYPE_INT64;
    const double stored = isInteger ? value : common::roundedToSingle(value);
    if ((isInteger || std::isfinite(stored)) && isWithin(ruleOf(field), stored))
      return;
    common::Message error =
        document_.makeError("E0108", document_.spans(message, field, index).value,
                            "'" + field.name() + "' cannot be " + elementText(message, field, index));
    error.field = document_.path(message, field.name(), field.is_repeated() ? index : -1);
    std::string bounds = boundsText(field);
    error.expected = bounds.empty() ? "a finite number" : bounds;
    if (std::isfinite(value) && isWithin(ruleOf(field), value))
      error.expected += common::kAsSingle;
    messages_.add(std::move(error));
  }

  void checkGrowing(const ProtoMessage &message, const ProtoField &field, int count) {
    // Bucket boundaries are compared as float32: those that become equal do not grow.
    bool single = message.GetDescriptor()->name() == "Bucketized";
    for (int i = 1; i < count; ++i) {
      double before = elementNumber(message, field, i - 1), after = elementNumber(message, field, i);
      if (single ? static_cast<float>(before) < static_cast<float>(after) : before < after)
        continue;
      common::Message error = document_.makeError("E0120", document_.spans(message, field, i).value,
                                                  field.name() + " must grow; " + elementText(message, field, i - 1) +
                                                      " is followed by " + elementText(message, field, i));
      error.field =
          document_.path(message, field.name()) + "[" + std::to_string(i - 1) + ".." + std::to_string(i) + "]";
      messages_.add(std::move(error));
      return;
    }
  }

  void checkUnique(const ProtoMessage &message, const ProtoField &field, int count) {
    llvm::StringMap<int> seen;
    for (int i = 0; i < count; ++i) {
      std::string value = message.GetReflection()->GetRepeatedString(message, &field, i);
      auto [place, isNew] = seen.try_emplace(value, i);
      if (isNew)
        continue;
      common::Message error = document_.makeError("E0109", document_.spans(message, field, i).value,
                                                  "'" + value + "' stands twice in '" + field.name() + "'");
      error.field = document_.path(message, field.name(), i);
      error.related.push_back(document_.place(document_.spans(message, field, place->second).value, "first here"));
      messages_.add(std::move(error));
    }
  }

  const SpecDocument &document_;
  common::MessageList &messages_;
};
} // namespace

void mlc::frontend::checkRules(const SpecDocument &document, common::MessageList &messages) {
  RuleChecker(document, messages).check(document.spec());
}
