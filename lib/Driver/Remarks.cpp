// Remarks: see Remarks.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Remarks.h"
#include "common/cli/NearestMatch.h"
#include "mlc/Frontend/DfProgram/DfProgram.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace mlc;

/// Of what passes tell; what each is about stands in docs/debugging.md.
static const std::vector<std::string> kRemarkCategories = {"captured", "fused", "hoisted",   "in_place",
                                                           "kept",     "parts", "vectorized"};

bool mlc::parseRemarks(const std::string &text, std::vector<std::string> &chosen, common::MessageList &messages) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(text).split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    name = name.trim();
    if (name == "all") {
      chosen = kRemarkCategories;
      return true;
    }
    if (!llvm::is_contained(kRemarkCategories, name)) {
      common::Message message = common::makeError("E0203", "--remarks: there are no remarks '" + name.str() + "'",
                                                  common::didYouMean(name.str(), kRemarkCategories));
      message.expected = "all, or some of " + llvm::join(kRemarkCategories, ", ");
      messages.add(message);
      return false;
    }
    chosen.push_back(name.str());
  }
  return true;
}

struct RemarkCollector::Found {
  std::mutex mutex;
  /// Place, category and text -> how often.
  std::map<std::tuple<std::string, int64_t, int64_t, std::string, std::string>, int64_t> remarks;
};

namespace {
class Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  using Add = std::function<void(const remark::detail::Remark &)>;
  explicit Streamer(Add a) : add(std::move(a)) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override { add(remark); }

private:
  Add add;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context, const std::vector<std::string> &categories)
    : found(std::make_shared<Found>()) {
  if (categories.empty())
    return;
  auto add = [found = found](const remark::detail::Remark &remark) {
    common::Place place = frontend::placeOf(remark.getLocation());
    std::string text = remark.getRemarkType() == llvm::remarks::Type::Missed ? "missed: " : "";
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      text += argument.val;
    std::lock_guard<std::mutex> lock(found->mutex);
    ++found->remarks[{place.file, place.line, place.column, remark.getCategoryName().str(), text}];
  };
  const std::string names = "^(" + llvm::join(categories, "|") + ")$";
  remark::RemarkCategories filter;
  filter.passed = filter.missed = filter.analysis = filter.failed = names;
  (void)remark::enableOptimizationRemarks(context, std::make_unique<Streamer>(std::move(add)),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(), filter);
}

RemarkCollector::~RemarkCollector() = default;

void RemarkCollector::addTo(common::MessageList &messages) {
  for (const auto &[key, count] : found->remarks) {
    common::Message message;
    message.severity = common::Severity::Note;
    std::tie(message.place.file, message.place.line, message.place.column, message.code, message.what) = key;
    message.count = count;
    messages.add(message);
  }
  found->remarks.clear();
}
