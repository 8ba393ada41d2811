// Allocations of global memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/DeviceMemory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ptxemu {

static std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string Allocation::describe() const {
  std::string text =
      name.empty() ? (ofHost ? "host memory" : "allocation " + std::to_string(number)) : "variable '" + name + "'";
  return text + " of " + std::to_string(size) + " bytes at " + hex(base);
}

DeviceMemory::~DeviceMemory() {
  for (auto &[base, allocation] : allocations_)
    if (!allocation->ofHost)
      free(allocation->data);
}

Allocation *DeviceMemory::allocate(uint64_t size, const std::string &name) {
  if (size > limit_ - used_)
    return nullptr;
  auto made = std::make_unique<Allocation>();
  made->data = static_cast<uint8_t *>(malloc(size ? size : 1));
  if (!made->data)
    return nullptr;
  // What nobody wrote holds no zeros: bytes of a NaN, as far as writing them takes no time.
  memset(made->data, 0xff, size < (1u << 26) ? size : (1u << 26));
  made->base = next_;
  made->size = size;
  made->name = name;
  made->number = ++count_;
  made->init.reset(size);
  next_ += (size + 1023) / 512 * 512; // at least 512 bytes that belong to nothing
  used_ += size;
  Allocation *result = made.get();
  allocations_[made->base] = std::move(made);
  return result;
}

Allocation *DeviceMemory::addHost(void *data, uint64_t size) {
  auto made = std::make_unique<Allocation>();
  made->data = static_cast<uint8_t *>(data);
  made->base = reinterpret_cast<uint64_t>(data);
  made->size = size;
  made->ofHost = true;
  made->number = ++count_;
  made->init.reset(size);
  made->init.set(0, size);
  Allocation *result = made.get();
  allocations_[made->base] = std::move(made);
  return result;
}

bool DeviceMemory::release(uint64_t base) {
  auto at = allocations_.find(base);
  if (at == allocations_.end() || at->second->freed)
    return false;
  Allocation &allocation = *at->second;
  if (allocation.ofHost) { // the host may use the address again
    allocations_.erase(at);
    return true;
  }
  used_ -= allocation.size;
  free(allocation.data);
  allocation.data = nullptr;
  allocation.freed = true;
  allocation.shadow.reset();
  allocation.init.reset(0);
  return true;
}

Allocation *DeviceMemory::find(uint64_t address) {
  auto after = allocations_.upper_bound(address);
  return after == allocations_.begin() ? nullptr : std::prev(after)->second.get();
}

Allocation *DeviceMemory::holding(uint64_t address, uint64_t size) {
  Allocation *found = find(address);
  return found && !found->freed && found->contains(address, size) ? found : nullptr;
}

std::string DeviceMemory::explain(uint64_t address, uint64_t size) {
  if (address < 0x1000)
    return "a null pointer";
  Allocation *found = find(address);
  if (found && found->freed && found->contains(address, size))
    return found->describe() + ", which is freed";
  Allocation *after = nullptr;
  if (auto at = allocations_.upper_bound(address); at != allocations_.end())
    after = at->second.get();
  if (found && address - found->base <= found->size + (1u << 20))
    return std::to_string(address - found->base) + " bytes after the begin of " + found->describe() +
           (found->freed ? ", which is freed" : "");
  if (after && after->base - address <= 1u << 20)
    return std::to_string(after->base - address) + " bytes before " + after->describe();
  return "an address that belongs to no allocation";
}

} // namespace ptxemu
