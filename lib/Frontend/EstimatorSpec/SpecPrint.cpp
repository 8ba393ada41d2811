//===- SpecPrint.cpp - Writes a spec as text or JSON ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SpecPrint.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlc;
using namespace mlc::frontend;

namespace {
class Printer {
public:
  Printer(const SpecDocument &document, const ShowOptions &options) : document_(document), options_(options) {}

  std::string text() {
    print(document_.spec(), 0);
    // Origins stand in one column.
    size_t width = 0;
    constexpr size_t kWidest = 96;
    if (options_.origin)
      for (auto &[line, origin] : lines_)
        if (!origin.empty() && line.size() <= kWidest)
          width = std::max(width, line.size());
    std::string result;
    for (auto &[line, origin] : lines_) {
      result += line;
      if (options_.origin && !origin.empty())
        result += std::string(std::max(width, line.size()) - line.size() + 2, ' ') + "# " + origin;
      result += '\n';
    }
    return result;
  }

  llvm::json::Object json(const ProtoMessage &message);
  llvm::json::Object origins;

private:
  /// Fields to write, in the order of their numbers: those that are set and, of a resolved spec, those with a default.
  std::vector<const ProtoField *> fieldsOf(const ProtoMessage &message) {
    std::vector<const ProtoField *> fields;
    const auto *reflection = message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const ProtoField *field = message.GetDescriptor()->field(i);
      bool set =
          field->is_repeated() ? reflection->FieldSize(message, field) > 0 : reflection->HasField(message, field);
      bool excluded = field->name() == "default_value" || field->name() == "num_oov_buckets";
      if (set || (options_.resolved && !excluded && !field->containing_oneof() && !defaultText(*field).empty()))
        fields.push_back(field);
    }
    std::sort(fields.begin(), fields.end(),
              [](const ProtoField *a, const ProtoField *b) { return a->number() < b->number(); });
    return fields;
  }

  std::string originOf(const ProtoMessage &message, const ProtoField &field, int index) {
    if (Span span = document_.spans(message, field, index).name)
      return document_.origin(span);
    const auto *reflection = message.GetReflection();
    bool set = field.is_repeated() || reflection->HasField(message, &field);
    if (!set)
      return "default";
    return document_.spec().compat() == mlc::spec::v1::Estimator::TF1 ? "default tf1" : "default tf2";
  }

  void print(const ProtoMessage &message, int depth) {
    const auto *reflection = message.GetReflection();
    std::string indent(2 * depth, ' ');
    for (const ProtoField *field : fieldsOf(message)) {
      int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
      if (field->cpp_type() == ProtoField::CPPTYPE_MESSAGE) {
        for (int i = 0; i < count; ++i) {
          const ProtoMessage &child = field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                                           : reflection->GetMessage(message, field);
          if (fieldsOf(child).empty()) {
            lines_.emplace_back(indent + field->name() + " {}", originOf(message, *field, i));
            continue;
          }
          lines_.emplace_back(indent + field->name() + " {", "");
          print(child, depth + 1);
          lines_.emplace_back(indent + "}", "");
        }
        continue;
      }
      std::string line = indent + field->name() + ": ", origin;
      if (!field->is_repeated()) {
        lines_.emplace_back(line + scalarText(message, *field, 0), originOf(message, *field, 0));
        continue;
      }
      if (count == 0) {
        lines_.emplace_back(line + "[]", originOf(message, *field, 0));
        continue;
      }
      constexpr size_t kWidth = 116;
      size_t start = line.size() + 1;
      line += "[";
      origin = originOf(message, *field, 0);
      for (int i = 0; i < count; ++i) {
        std::string element = scalarText(message, *field, i) + (i + 1 < count ? "," : "]");
        std::string from = originOf(message, *field, i);
        // Lines break where they are full, and where elements are from elsewhere.
        if (i > 0 && (line.size() + 1 + element.size() > kWidth || (options_.origin && from != origin))) {
          lines_.emplace_back(line, origin);
          line = std::string(start, ' ') + element;
          origin = from;
        } else {
          line += (i ? " " : "") + element;
        }
      }
      lines_.emplace_back(line, origin);
    }
  }

  llvm::json::Value scalar(const ProtoMessage &message, const ProtoField &field, int index) {
    const auto *reflection = message.GetReflection();
    bool list = field.is_repeated();
    switch (field.cpp_type()) {
    case ProtoField::CPPTYPE_BOOL:
      return list ? reflection->GetRepeatedBool(message, &field, index) : reflection->GetBool(message, &field);
    case ProtoField::CPPTYPE_INT64:
      return list ? reflection->GetRepeatedInt64(message, &field, index) : reflection->GetInt64(message, &field);
    case ProtoField::CPPTYPE_DOUBLE:
      return list ? reflection->GetRepeatedDouble(message, &field, index) : reflection->GetDouble(message, &field);
    case ProtoField::CPPTYPE_STRING:
      return llvm::json::fixUTF8(list ? reflection->GetRepeatedString(message, &field, index)
                                      : reflection->GetString(message, &field));
    default:
      return scalarText(message, field, index);
    }
  }

  const SpecDocument &document_;
  const ShowOptions &options_;
  std::vector<std::pair<std::string, std::string>> lines_;
};
} // namespace

llvm::json::Object Printer::json(const ProtoMessage &message) {
  const auto *reflection = message.GetReflection();
  llvm::json::Object object;
  for (const ProtoField *field : fieldsOf(message)) {
    bool isMessage = field->cpp_type() == ProtoField::CPPTYPE_MESSAGE;
    std::string path = document_.path(message, field->name());
    if (!isMessage)
      origins[path] = originOf(message, *field, 0);
    if (field->is_map()) {
      llvm::json::Object map;
      for (const auto &[key, value] : document_.spec().metadata())
        map[key] = value;
      object[field->name()] = std::move(map);
    } else if (!field->is_repeated()) {
      object[field->name()] =
          isMessage ? llvm::json::Value(json(reflection->GetMessage(message, field))) : scalar(message, *field, 0);
    } else {
      llvm::json::Array array;
      for (int i = 0; i < reflection->FieldSize(message, field); ++i)
        array.push_back(isMessage ? llvm::json::Value(json(reflection->GetRepeatedMessage(message, field, i)))
                                  : scalar(message, *field, i));
      object[field->name()] = std::move(array);
    }
  }
  return object;
}

std::string mlc::frontend::printSpec(const SpecDocument &document, const ShowOptions &options) {
  Printer printer(document, options);
  if (!options.json)
    return printer.text();
  llvm::json::Object object = printer.json(document.spec());
  if (options.origin)
    object = llvm::json::Object{{"spec", std::move(object)}, {"origin", std::move(printer.origins)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << '\n';
  return text;
}
