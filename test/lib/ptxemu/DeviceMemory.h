// Global memory: allocations at addresses that no host memory has, with what is known of their bytes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_DEVICEMEMORY_H
#define MLC_TEST_LIB_PTXEMU_DEVICEMEMORY_H

#include "test/lib/ptxemu/Shadow.h"

#include <map>
#include <string>

namespace ptxemu {

/// A piece of global memory. It stays known after it is freed: addresses are not used again.
struct Allocation {
  uint64_t base = 0, size = 0; ///< size in bytes
  uint64_t number = 0;         ///< in order of allocation, from 1
  std::string name;            ///< of a variable; empty for what was allocated by a call
  uint8_t *data = nullptr;
  bool freed = false;
  bool ofHost = false; ///< page-locked memory of the host, at its own address
  bool readOnly = false;
  InitBits init;
  std::unique_ptr<Shadow> shadow; ///< made when a kernel touches it

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= base && bytes <= size && address - base <= size - bytes;
  }
  /// "allocation 3 of 64 bytes at 0x..." for messages.
  std::string describe() const;
};

/// The global memory of a device.
class DeviceMemory {
public:
  /// Memory of `limit` bytes; `device` keeps the addresses of several devices apart.
  explicit DeviceMemory(uint64_t limit = 1ull << 32, unsigned device = 0)
      : limit_(limit), next_(0x2000'0000'0000ull + (static_cast<uint64_t>(device) << 42)) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// A new allocation, at a multiple of 512; nullptr if memory is at its end.
  Allocation *allocate(uint64_t size, const std::string &name = "");
  /// Makes host memory [data, data + size) known, all of it initialized.
  Allocation *addHost(void *data, uint64_t size);
  /// Frees what begins at `base`; false if nothing does, or it is freed.
  bool release(uint64_t base);
  /// The allocation around an address, or the one that ends closest before it; nullptr if there is none below. A freed
  /// one too.
  Allocation *find(uint64_t address);
  /// The allocation that holds all of [address, address + size) and is not freed; nullptr if there is none.
  Allocation *holding(uint64_t address, uint64_t size);
  uint64_t used() const { return used_; }
  uint64_t limit() const { return limit_; }
  /// Why [address, address + size) is no place to access, for messages.
  std::string explain(uint64_t address, uint64_t size);

private:
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;
  uint64_t limit_, used_ = 0, next_, count_ = 0;
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_DEVICEMEMORY_H
