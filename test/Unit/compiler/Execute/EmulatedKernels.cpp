// Kernels of an artifact's PTX, run by the emulator of tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatedKernels.h"
#include "test/lib/gpurecord/LaunchRecord.h"
#include "test/lib/ptxemu/DeviceMemory.h"
#include "test/lib/ptxemu/Launch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>

using namespace mlc::execute;

struct EmulatedKernels::Loaded {
  ptxemu::DeviceMemory memory; ///< has the module's variables, and while a kernel runs what it is given
  std::unique_ptr<ptxemu::Module> module;
  std::string error;
  std::optional<gpurecord::Writer> writer;
};

using Memory = std::vector<std::pair<void *, size_t>>;

/// The launch as it begins, with the memory that its arguments are addresses in. `places`: these pieces' numbers there.
static gpurecord::Launch begin(const std::string &kernel, const int64_t *shape, const int64_t *arguments, int64_t count,
                               const Memory &memory, std::vector<size_t> &places) {
  gpurecord::Launch launch;
  launch.kernel = kernel;
  std::copy_n(shape, 7, launch.shape);
  for (int64_t i = 0; i < count; ++i) {
    gpurecord::Argument argument{arguments[i]};
    for (size_t m = 0; m < memory.size(); ++m) {
      const auto base = reinterpret_cast<int64_t>(memory[m].first);
      if (arguments[i] < base || arguments[i] >= base + static_cast<int64_t>(memory[m].second))
        continue;
      auto known = std::find(places.begin(), places.end(), m);
      argument = {arguments[i] - base, known - places.begin()};
      if (known != places.end())
        break;
      places.push_back(m);
      const auto *bytes = static_cast<const uint8_t *>(memory[m].first);
      launch.pieces.push_back({{bytes, bytes + memory[m].second}, {}});
      break;
    }
    launch.arguments.push_back(argument);
  }
  return launch;
}

/// What was loaded of a text: once for all calls of its entries, which take less time than reading it. Tests call them
/// one after another.
static std::shared_ptr<EmulatedKernels::Loaded> load(std::string ptx) {
  static std::map<std::string, std::shared_ptr<EmulatedKernels::Loaded>> known;
  std::shared_ptr<EmulatedKernels::Loaded> &loaded = known[ptx];
  if (loaded)
    return loaded;
  loaded = std::make_shared<EmulatedKernels::Loaded>();
  loaded->module = ptxemu::loadModule(ptx, loaded->memory);
  loaded->error = loaded->module->error;
  if (const char *directory = std::getenv("MLC_TEST_RECORD_LAUNCHES")) {
    const std::string name = std::to_string(getpid()) + "-" + std::to_string(known.size());
    loaded->writer.emplace(std::string(directory) + "/" + name + ".launches", std::move(ptx));
  }
  return loaded;
}

/// Writes the PTX of each image once to a file of the directory that MLC_TEST_WRITE_PTX names, by chip.
static void writePtx(const mlcrt_artifact &artifact) {
  static std::set<std::string> written;
  const char *directory = std::getenv("MLC_TEST_WRITE_PTX");
  for (int64_t i = 0; directory && i < artifact.num_images; ++i) {
    const mlcrt_image &image = artifact.images[i];
    std::string text(static_cast<const char *>(image.data), size_t(image.bytes) - 1);
    if (image.kind != MLCRT_IMAGE_PTX || !written.insert(text).second)
      continue;
    const std::string name = std::to_string(getpid()) + "-" + std::to_string(written.size()) + "-" + image.chip;
    std::ofstream(std::string(directory) + "/" + name + ".ptx") << text;
  }
}

EmulatedKernels::EmulatedKernels(const mlcrt_artifact &artifact) {
  writePtx(artifact);
  const mlcrt_image *end = artifact.images + artifact.num_images;
  const mlcrt_image *image =
      std::find_if(artifact.images, end, [](const mlcrt_image &each) { return each.kind == MLCRT_IMAGE_PTX; });
  if (image != end) {
    loaded = load({static_cast<const char *>(image->data), size_t(image->bytes) - 1});
    return;
  }
  loaded = std::make_shared<Loaded>();
  loaded->error = "the artifact has no PTX";
}

EmulatedKernels::~EmulatedKernels() = default;

std::string EmulatedKernels::launch(const std::string &name, const int64_t *shape, const int64_t *arguments,
                                    int64_t count, const Memory &memory) {
  if (!loaded->error.empty())
    return loaded->error;
  const ptxemu::Kernel *kernel = loaded->module->find(name);
  if (!kernel)
    return "no kernel '" + name + "'";
  if (kernel->parameters.size() != size_t(count))
    return "kernel '" + name + "' gets " + std::to_string(count) + " arguments; expected " +
           std::to_string(kernel->parameters.size());
  ptxemu::LaunchShape grid;
  for (int d = 0; d < 3; ++d) {
    grid.grid[d] = static_cast<unsigned>(shape[d]);
    grid.block[d] = static_cast<unsigned>(shape[3 + d]);
  }
  grid.dynamicShared = shape[6];
  std::vector<uint8_t> parameters(kernel->parameterBytes);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(parameters.data() + kernel->parameters[i].offset, &arguments[i], kernel->parameters[i].size);
  std::string why;
  if (ptxemu::checkLaunch(*kernel, grid, ptxemu::limitsOf(80), /*maxDynamicShared=*/48 << 10, why) != ptxemu::kSuccess)
    return why;
  for (auto [data, size] : memory)
    loaded->memory.addHost(data, size);
  ptxemu::RunOptions options;
  options.countAccesses = false;
  options.findUninitialized = false; // the memory of tests is filled
  std::vector<size_t> places;
  gpurecord::Launch record;
  if (loaded->writer && loaded->writer->wants(name))
    record = begin(name, shape, arguments, count, memory, places);
  const ptxemu::LaunchResult result = ptxemu::launch(*kernel, grid, parameters, loaded->memory, options);
  for (const auto &piece : memory)
    loaded->memory.release(reinterpret_cast<uint64_t>(piece.first));
  for (auto [place, piece] : llvm::zip_equal(places, record.pieces)) {
    const auto *bytes = static_cast<const uint8_t *>(memory[place].first);
    piece.after.assign(bytes, bytes + memory[place].second);
  }
  if (result.findings.empty() && !record.kernel.empty())
    if (std::string error = loaded->writer->add(record); !error.empty())
      return error;
  return result.findings.empty() ? std::string() : result.findings.front().text();
}
