//===- CudaImage.cpp - Which image of an artifact a chip takes ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaImage.h"

#include "runtime/src/device/cuda/CudaDriver.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

std::optional<CudaChip> CudaChip::parse(std::string_view text) {
  if (text.substr(0, 3) != "sm_")
    return std::nullopt;
  text.remove_prefix(3);
  CudaChip chip;
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
    chip.feature = text.back();
    text.remove_suffix(1);
  }
  const bool isNumber = !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == text.npos;
  if (!isNumber || !absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &chip.number))
    return std::nullopt;
  return chip;
}

bool CudaChip::runsOn(int other) const {
  if (feature == 'a')
    return number == other;
  if (feature == 'f')
    return number / 10 == other / 10 && number <= other;
  return number <= other;
}

std::string cudaChipText(int chip) { return absl::StrCat("sm_", chip); }

int ptxVersion(const mlcrt_image &image) {
  constexpr std::string_view directive = ".version";
  const std::string_view text(static_cast<const char *>(image.data), image.bytes);
  size_t at = text.find(directive);
  while (at != text.npos && at > 0 && text[at - 1] != '\n')
    at = text.find(directive, at + 1);
  if (at == text.npos)
    return 0;
  at = text.find_first_not_of(" \t", at + directive.size());
  int numbers[2] = {0, 0}, part = 0;
  for (; at < text.size() && part < 2; ++at) {
    const char c = text[at];
    if (c == '.')
      ++part;
    else if (c >= '0' && c <= '9' && numbers[part] < 100)
      numbers[part] = 10 * numbers[part] + (c - '0');
    else
      break;
  }
  return numbers[1] < 10 ? 10 * numbers[0] + numbers[1] : 0;
}

int leastDriverOf(int ptxVersion) {
  if (ptxVersion >= 60 && ptxVersion < 70)
    return 9000; // and a little later, all of it older than any driver that we take
  if (ptxVersion >= 70 && ptxVersion <= 78)
    return 11000 + 10 * (ptxVersion - 70);
  if (ptxVersion >= 80 && ptxVersion <= 85)
    return 12000 + 10 * (ptxVersion - 80);
  if (ptxVersion >= 86 && ptxVersion <= 88)
    return 12000 + 10 * (ptxVersion - 79);
  if (ptxVersion == 90)
    return 13000;
  return 0;
}

std::string describeImage(const mlcrt_image &image) {
  return absl::StrCat(image.kind == MLCRT_IMAGE_PTX     ? "PTX"
                      : image.kind == MLCRT_IMAGE_CUBIN ? "cubin"
                                                        : "object",
                      " for ", image.chip);
}

absl::StatusOr<std::vector<const mlcrt_image *>>
imagesFor(int chip, int driverVersion, const std::vector<const mlcrt_image *> &images, std::string_view latest) {
  using Rank = std::pair<bool, std::pair<int, int>>;
  const std::optional<CudaChip> last = CudaChip::parse(latest);
  std::vector<std::pair<Rank, const mlcrt_image *>> fitting;
  std::string found;
  const mlcrt_image *tooNew = nullptr;
  for (const mlcrt_image *image : images) {
    absl::StrAppend(&found, found.empty() ? "" : ", ", describeImage(*image));
    const std::optional<CudaChip> made = CudaChip::parse(image->chip);
    if (!made || (last && made->rank() > last->rank()))
      continue;
    const bool isCubin = image->kind == MLCRT_IMAGE_CUBIN;
    if (isCubin ? made->number != chip : image->kind != MLCRT_IMAGE_PTX || !made->runsOn(chip))
      continue;
    if (!isCubin && driverVersion < leastDriverOf(ptxVersion(*image))) {
      tooNew = tooNew ? tooNew : image;
      continue;
    }
    fitting.push_back({{isCubin, made->rank()}, image});
  }
  if (fitting.empty() && tooNew) {
    const int version = ptxVersion(*tooNew);
    return absl::FailedPreconditionError(absl::StrCat("the driver is for CUDA ", cudaVersionText(driverVersion),
                                                      ", too old for the ", describeImage(*tooNew), " of version ",
                                                      version / 10, ".", version % 10, "; expected: a driver for CUDA ",
                                                      cudaVersionText(leastDriverOf(version)), " or later"));
  }
  if (fitting.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("no image runs on the chip ", cudaChipText(chip), "; found: ", found.empty() ? "none" : found,
                     "; expected: a cubin for it, or PTX for it or an earlier chip", last ? ", none later than " : "",
                     last ? absl::string_view(latest.data(), latest.size()) : ""));
  std::stable_sort(fitting.begin(), fitting.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<const mlcrt_image *> ranked;
  for (const auto &[rank, image] : fitting)
    ranked.push_back(image);
  return ranked;
}

} // namespace mlcrt
