//===- CudaImage.h - Which image of an artifact a chip takes ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDAIMAGE_H
#define MLCRT_DEVICE_CUDA_CUDAIMAGE_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlcrt {

/// The chips that there is code for.
constexpr int kLeastCudaChip = 80;

/// "sm_90a": 90 and 'a'.
struct CudaChip {
  int number = 0;   ///< ten times the major compute capability, and the minor one
  char feature = 0; ///< 'a': of this chip alone; 'f': of its family, chips of one major number; 0: of later ones, too

  /// Nothing if the text is no chip.
  static std::optional<CudaChip> parse(std::string_view text);
  /// Whether PTX for this chip runs on the chip `number`.
  bool runsOn(int other) const;
  /// Ascending from chip to chip; of those of one number ascending with their instructions.
  std::pair<int, int> rank() const { return {number, feature == 'a' ? 2 : feature == 'f' ? 1 : 0}; }
};

/// "sm_90".
std::string cudaChipText(int chip);

/// The version of the instruction set that a PTX text says, 78 for 7.8; 0: it says none.
int ptxVersion(const mlcrt_image &image);

/// The oldest driver, 11080 for CUDA 11.8, that knows a version of PTX; 0: not known here, the driver will tell.
int leastDriverOf(int ptxVersion);

/// "PTX for sm_80", "cubin for sm_90".
std::string describeImage(const mlcrt_image &image);

/// The images that a chip runs with this driver, the best one first: cubins of exactly this chip, then PTX by
/// descending chip; none for a later chip than `latest`, unless that is empty. kFailedPrecondition: none fits, or only
/// PTX that a newer driver knows.
absl::StatusOr<std::vector<const mlcrt_image *>>
imagesFor(int chip, int driverVersion, const std::vector<const mlcrt_image *> &images, std::string_view latest = {});

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDAIMAGE_H
