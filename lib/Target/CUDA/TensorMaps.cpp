// What the code of kernels for a chip needs beside what a launch has (mlcrt/kernel_needs.h).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TensorMaps.h"
#include "Grid.h"
#include "dialects/Kern/IR/KernTensorMap.h"
#include "mlcrt/abi.h"
#include "mlcrt/kernel_needs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

static constexpr int64_t kDescriptorBytes = 128, kDescriptorAlignment = 64;
static constexpr size_t kMapWords = sizeof(mlcrt_tensor_map) / sizeof(int64_t);

/// The number of an argument of the launch, if that is what a value is.
static std::optional<int64_t> argumentOf(Value value, Block &entry, unsigned numParameters) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &entry || argument.getArgNumber() >= numParameters)
    return std::nullopt;
  return argument.getArgNumber();
}

static int64_t dtypeOf(Type element) { return element.isF32() ? MLCRT_F32 : element.isF16() ? MLCRT_F16 : MLCRT_BF16; }

static std::optional<mlcrt_tensor_map> describe(kern::TensorMapOp op, unsigned numParameters) {
  Block &entry = op->getParentOfType<func::FuncOp>().getBody().front();
  Type element = cast<MemRefType>(op.getBuffer().getType()).getElementType();
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  const std::optional<int64_t> buffer = argumentOf(op.getBuffer(), entry, numParameters);
  if (!buffer)
    return std::nullopt;
  mlcrt_tensor_map map = {};
  map.buffer = *buffer;
  map.offset = static_cast<int64_t>(op.getOffset()) * bytes;
  map.dtype = dtypeOf(element);
  map.swizzle = static_cast<int64_t>(op.getSwizzle());
  map.rank = static_cast<int64_t>(op.getSizes().size());
  for (auto [i, size] : llvm::enumerate(op.getSizes())) {
    APInt constant;
    if (matchPattern(size, m_ConstantInt(&constant)))
      map.sizes[i] = constant.getSExtValue();
    else if (std::optional<int64_t> argument = argumentOf(size, entry, numParameters))
      map.sizes[i] = MLCRT_TENSOR_MAP_ARGUMENT(*argument);
    else
      return std::nullopt;
    map.strides[i] = op.getStrides()[i] * bytes;
    map.box[i] = op.getBox()[i];
  }
  return map;
}

void KernelNeeds::bind(func::FuncOp kernel, unsigned numParameters) {
  SmallVector<kern::TensorMapOp> ops;
  kernel.walk([&](kern::TensorMapOp op) { ops.push_back(op); });
  if (ops.empty())
    return;
  mlcrt_kernel_needs needs = {};
  kernel.walk([&](memref::AllocaOp cells) {
    if (cells->hasAttr(kOfLaunchAttr))
      needs.shared_bytes += cells.getType().getNumElements() * kern::elementBytes(cells.getType());
  });
  SmallVector<int64_t> all = {needs.shared_bytes};
  bool exist = true;
  for (kern::TensorMapOp op : ops) {
    const std::optional<mlcrt_tensor_map> map = describe(op, numParameters);
    if (!map) {
      exist = false;
      break;
    }
    int64_t own[kMapWords];
    std::memcpy(own, &*map, sizeof(own));
    all.append(own, own + kMapWords);
  }
  Block &entry = kernel.getBody().front();
  for (kern::TensorMapOp op : ops) {
    Location loc = op.getLoc();
    OpBuilder b(op);
    Value address, exists;
    if (exist) {
      Value parameter = entry.addArgument(LLVM::LLVMPointerType::get(b.getContext()), loc);
      address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), parameter);
      exists = hasWarpgroups(b, loc);
    } else {
      address = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
      exists = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    }
    op->replaceAllUsesWith(ValueRange{address, exists});
    op.erase();
  }
  if (exist)
    words[kernel.getSymName()] = all;
}

unsigned KernelNeeds::numMaps(StringRef kernel) const {
  auto known = words.find(kernel);
  return known == words.end() ? 0 : static_cast<unsigned>((known->second.size() - 1) / kMapWords);
}

void KernelNeeds::describeParameters(ModuleOp kernels) const {
  Builder b(kernels.getContext());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kDescriptorBytes);
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
    for (unsigned i = kernel.getNumArguments() - numMaps(kernel.getSymName()); i < kernel.getNumArguments(); ++i) {
      kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(kDescriptorAlignment));
      kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    }
}

void KernelNeeds::dropParameters(ModuleOp kernels) const {
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>()) {
    const unsigned count = kernel.getNumArguments(), begin = count - numMaps(kernel.getSymName());
    if (begin == count)
      continue;
    Block &entry = kernel.getBody().front();
    OpBuilder b(&entry, entry.begin());
    llvm::BitVector dropped(count);
    dropped.set(begin, count);
    for (unsigned i = begin; i < count; ++i)
      entry.getArgument(i).replaceAllUsesWith(LLVM::ZeroOp::create(b, kernel.getLoc(), entry.getArgument(i).getType()));
    auto type = LLVM::LLVMFunctionType::get(kernel.getFunctionType().getReturnType(),
                                            kernel.getFunctionType().getParams().take_front(begin));
    function_interface_impl::eraseFunctionArguments(kernel, dropped, type);
  }
}

void KernelNeeds::addTo(llvm::Module &code) const {
  for (const llvm::Function &kernel : code) {
    auto known = words.find(kernel.getName());
    if (known == words.end())
      continue;
    llvm::Constant *value = llvm::ConstantDataArray::get(
        code.getContext(),
        llvm::ArrayRef(reinterpret_cast<const uint64_t *>(known->second.data()), known->second.size()));
    auto *variable = new llvm::GlobalVariable(
        code, value->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, value,
        kernel.getName() + MLCRT_NEEDS_SUFFIX, /*InsertBefore=*/nullptr, llvm::GlobalValue::NotThreadLocal,
        /*AddressSpace=*/1);
    variable->setAlignment(llvm::Align(8));
  }
}
