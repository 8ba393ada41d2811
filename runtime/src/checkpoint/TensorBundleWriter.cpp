// Writer of TensorFlow's checkpoint files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/BundleEntry.h"
#include "runtime/src/checkpoint/SortedTable.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/TensorBundle.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <numeric>
#include <unistd.h>

namespace mlcrt {

absl::Status writeTensorBundle(const std::string &prefix, const std::vector<TensorInfo> &tensors,
                               const TensorSource &source) {
  const std::string indexPath = prefix + ".index";
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return tensors[a].name < tensors[b].name; });
  absl::StatusOr<AtomicFile> data = AtomicFile::create(bundleDataPath(prefix, 0, 1));
  if (!data.ok())
    return data.status();
  SortedTableWriter index;
  BundleHeader header;
  header.shards = 1;
  index.add("", header.text());
  for (size_t k = 0; k < order.size(); ++k) {
    const TensorInfo &tensor = tensors[order[k]];
    const int64_t dtype = dtypeInTensorFlow(tensor.dtype),
                  elements = elementCount(tensor.shape.data(), static_cast<int32_t>(tensor.shape.size()));
    if (!dtype || elements < 0 || tensor.name.empty() || (k > 0 && tensors[order[k - 1]].name == tensor.name))
      return fileError(absl::StatusCode::kInvalidArgument, "E0403", indexPath,
                       "cannot hold tensor '" + tensor.name + "'");
    BundleEntry entry;
    entry.dtype = dtype;
    entry.shape = tensor.shape;
    entry.offset = data->size();
    entry.bytes = elements * dtypeSize(tensor.dtype);
    absl::StatusOr<const void *> values = source(order[k]);
    if (!values.ok())
      return values.status();
    entry.crc = mlc::common::maskedCrc32c(mlc::common::crc32c(*values, static_cast<size_t>(entry.bytes)));
    if (absl::Status status = data->write(*values, entry.bytes); !status.ok())
      return status;
    index.add(tensor.name, entry.text());
  }
  // An index is never beside data that are not its own.
  ::unlink(indexPath.c_str());
  if (absl::Status status = data->commit(); !status.ok())
    return status;
  return writeFileAtomically(indexPath, index.finish());
}

} // namespace mlcrt
