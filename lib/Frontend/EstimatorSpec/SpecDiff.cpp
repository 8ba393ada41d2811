//===- SpecDiff.cpp - What two specs mean differently --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/Resolver.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlc;
using namespace mlc::frontend;

namespace {
/// The values in force of a spec by path. What several columns share stands under the name of each.
class Flattener {
public:
  explicit Flattener(const SpecDocument &document, const ResolvedSpec &resolved)
      : document_(document), resolved_(resolved), lists_(columnLists(resolved)) {}

  llvm::MapVector<std::string, std::string, llvm::StringMap<unsigned>> values;

  void add(const ProtoMessage &message, const std::string &prefix) {
    const auto *reflection = message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const ProtoField &field = *message.GetDescriptor()->field(i);
      std::string path = prefix + field.name();
      if (field.is_map() || isNaming(message, field) || field.name() == "description")
        continue;
      if (&message != &document_.spec() || field.name() != "spec_version")
        addField(message, field, path, reflection);
    }
  }

private:
  /// What names an element is in the paths already.
  bool isNaming(const ProtoMessage &message, const ProtoField &field) {
    const std::string &type = message.GetDescriptor()->name();
    if (type == "Column" || type == "Eval")
      return field.name() == "name";
    const ProtoMessage *parent = document_.parent(message);
    return parent && parent->GetDescriptor()->name() == "FeatureColumn" && elementField(message) == &field &&
           field.is_repeated() && !static_cast<const mlc::spec::v1::FeatureColumn *>(parent)->has_name();
  }

  /// The list of feature columns that `field` is; null if it is none.
  const ColumnList *columnListOf(const ProtoMessage &message, const ProtoField &field) {
    const auto *list = llvm::find_if(
        lists_, [&](const ColumnList &each) { return each.body == &message && each.field == field.name(); });
    return list == lists_.end() ? nullptr : list;
  }

  void addField(const ProtoMessage &message, const ProtoField &field, const std::string &path,
                const google::protobuf::Reflection *reflection) {
    int count = field.is_repeated() ? reflection->FieldSize(message, &field) : reflection->HasField(message, &field);
    if (field.cpp_type() != ProtoField::CPPTYPE_MESSAGE) {
      std::string value;
      if (const ColumnList *list = columnListOf(message, field)) {
        for (int column : list->columns)
          value += (value.empty() ? "[" : ", ") + quoted(resolved_.columns[column].name);
        value += value.empty() ? "" : "]";
      } else if (field.is_repeated()) {
        for (int k = 0; k < count; ++k)
          value += (k ? ", " : "[") + scalarText(message, field, k);
        value += count ? "]" : "";
      } else if (count) {
        value = scalarText(message, field, 0);
      } else if (!field.containing_oneof()) {
        value = defaultText(field);
      }
      if (!value.empty())
        values[path] = value;
      return;
    }
    for (int k = 0; k < count; ++k) {
      const ProtoMessage &child = field.is_repeated() ? reflection->GetRepeatedMessage(message, &field, k)
                                                      : reflection->GetMessage(message, &field);
      if (!field.is_repeated()) {
        if (child.GetDescriptor()->field_count() == 0 || field.containing_oneof())
          values[path] = "{}";
        add(child, path + ".");
        continue;
      }
      std::vector<std::string> names = elementNames(child);
      if (names.empty() && field.name() != "eval" && field.name() != "head")
        names.push_back(std::to_string(k));
      if (names.empty())
        add(child, path + ".");
      for (const std::string &name : names)
        add(child, path + "." + name + ".");
    }
  }

  const SpecDocument &document_;
  const ResolvedSpec &resolved_;
  llvm::SmallVector<ColumnList> lists_;
};
} // namespace

bool mlc::frontend::diffSpecs(const std::string &before, const std::string &after, common::MessageList &messages,
                              std::vector<SpecDifference> &differences) {
  std::vector<decltype(Flattener::values)> sides;
  for (const std::string &path : {before, after}) {
    std::string text;
    if (!readSpecFile(path, common::Message(), text, messages))
      return false;
    SpecDocument document(path, std::move(text));
    size_t errors = messages.errorCount();
    if (!loadSpec(document, {path, "", {}}, messages))
      return false;
    ResolvedSpec resolved = resolveSpec(document, messages);
    if (messages.errorCount() > errors)
      return false;
    Flattener flattener(document, resolved);
    flattener.add(document.spec(), "");
    sides.push_back(std::move(flattener.values));
  }
  for (auto &[path, value] : sides[0])
    if (std::string other = sides[1].lookup(path); other != value)
      differences.push_back({path, value, other});
  for (auto &[path, value] : sides[1])
    if (!sides[0].contains(path))
      differences.push_back({path, "", value});
  return true;
}
