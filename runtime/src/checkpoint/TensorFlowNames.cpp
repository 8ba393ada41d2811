// Names of slots, theirs and ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/TensorFlowNames.h"

#include <initializer_list>
#include <optional>

namespace mlcrt {

namespace {
struct SlotName {
  std::string_view optimizer, slot, ours;
};
} // namespace

static constexpr SlotName kSlots[] = {{"Adagrad", "accumulator", "Adagrad"},
                                      {"Adam", "m", "Adam"},
                                      {"Adam", "v", "Adam_1"},
                                      {"Adam", "vhat", "Adam_2"},
                                      {"Adadelta", "accum_grad", "Adadelta"},
                                      {"Adadelta", "accum_var", "Adadelta_1"},
                                      {"Adamax", "m", "Adamax"},
                                      {"Adamax", "v", "Adamax_1"},
                                      {"Nadam", "m", "Nadam"},
                                      {"Nadam", "v", "Nadam_1"},
                                      {"SGD", "momentum", "Momentum"},
                                      {"RMSprop", "rms", "RMSProp"},
                                      {"RMSprop", "momentum", "RMSProp_1"},
                                      {"Ftrl", "accumulator", "Ftrl"},
                                      {"Ftrl", "linear", "Ftrl_1"}};
/// Of a centered RMSProp the momentum comes after the mean of gradients.
static constexpr SlotName kCentered[] = {{"RMSprop", "mg", "RMSProp_1"}, {"RMSprop", "momentum", "RMSProp_2"}};
static constexpr std::string_view kTraining = "training/", kNadam = "Nadam", kCache = "momentum_cache";
static constexpr std::string_view kParts[] = {"dnn", "linear", "baseline"};

static std::string joined(std::initializer_list<std::string_view> names) {
  std::string text;
  for (std::string_view name : names)
    (text += text.empty() ? "" : "/") += name;
  return text;
}

/// Takes `end` and the slash before it off the end of `name`, which has more than that.
static bool consumeLast(std::string_view &name, std::string_view end) {
  if (name.size() <= end.size() + 1 || name.substr(name.size() - end.size()) != end ||
      name[name.size() - end.size() - 1] != '/')
    return false;
  name.remove_suffix(end.size() + 1);
  return true;
}

std::string nameFromTensorFlow(const std::string &name, const HasTensor &has) {
  std::string_view rest = name;
  if (rest.substr(0, kTraining.size()) == kTraining)
    rest.remove_prefix(kTraining.size());
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos)
    return name;
  const std::string_view optimizer = rest.substr(0, slash);
  rest.remove_prefix(slash + 1);
  const std::string_view first(name.data(), name.size() - rest.size() - 1);
  const auto match = [&](const SlotName &each) {
    std::string_view variable = rest;
    const bool isSlot = each.optimizer == optimizer && consumeLast(variable, each.slot) && has(variable);
    return isSlot ? std::optional(variable) : std::nullopt;
  };
  for (const SlotName &each : kCentered)
    if (const auto variable = match(each); variable && has(joined({first, *variable, kCentered[0].slot})))
      return joined({*variable, each.ours});
  for (const SlotName &each : kSlots)
    if (const auto variable = match(each))
      return joined({*variable, each.ours});
  if (optimizer == kNadam && rest == kCache)
    for (std::string_view part : kParts)
      if (has(joined({part, "logits/kernel"})) || has(joined({part, "linear_model/bias_weights"})) ||
          has(joined({part, "bias"})))
        return joined({part, kNadam, kCache});
  return name;
}

std::string nameInTensorFlow(const std::string &name, const HasTensor &has, std::string_view slot) {
  const auto match = [&](const SlotName &each) {
    std::string_view variable = name;
    const bool isSlot = consumeLast(variable, each.ours) && has(variable);
    return isSlot ? std::optional(variable) : std::nullopt;
  };
  const auto named = [&](const SlotName &each, std::string_view variable) {
    return joined({kTraining.substr(0, kTraining.size() - 1), each.optimizer, variable, each.slot});
  };
  for (const SlotName &each : kCentered)
    if (const auto variable = match(each))
      if (slot.empty() ? has(joined({*variable, kCentered[1].ours})) : slot == each.slot)
        return named(each, *variable);
  for (const SlotName &each : kSlots)
    if (const auto variable = match(each))
      return named(each, *variable);
  for (std::string_view part : kParts)
    if (name == joined({part, kNadam, kCache}))
      return joined({kTraining.substr(0, kTraining.size() - 1), kNadam, kCache});
  return name;
}

} // namespace mlcrt
