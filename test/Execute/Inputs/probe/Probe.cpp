// The ops of Probe.td. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/Df.h"
#include "dialects/Df/IR/DfExternalCall.h"
#include "mlcrt/abi.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "ProbeDialect.h.inc"
#define GET_OP_CLASSES
#include "ProbeOps.h.inc"

using namespace mlir;
using namespace probe;

#include "ProbeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ProbeOps.cpp.inc"

extern "C" {
int32_t identity(const mlcrt_buffer *operands, const mlcrt_buffer *results);
int32_t fail(const mlcrt_buffer *operands, const mlcrt_buffer *results);
int32_t count(const mlcrt_buffer *operands, const mlcrt_buffer *results);
int32_t weigh(const mlcrt_buffer *operands, const mlcrt_buffer *results);
}

static const unsigned char kIdentity[] = {
#include "probe_identity.bc.inc"
};
static const unsigned char kFail[] = {
#include "probe_fail.bc.inc"
};
static const unsigned char kCount[] = {
#include "probe_count.bc.inc"
};

static const unsigned char kWeigh[] = {
#include "probe_weigh.bc.inc"
};

template <size_t size> static StringRef bytesOf(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char *>(bytes), size};
}
static StringRef bitcodeOf(StringRef function, bool other) {
  if (function == "weigh")
    return bytesOf(kWeigh);
  return function == "identity" && !other ? bytesOf(kIdentity) : function == "count" ? bytesOf(kCount) : bytesOf(kFail);
}
static mlc::df::HostFunction hostFunctionOf(StringRef function) {
  if (function == "weigh")
    return weigh;
  return function == "identity" ? identity : function == "count" ? count : fail;
}

void ProbeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ProbeOps.cpp.inc"
      >();
}

StringRef CallOp::getCallee() { return getFunction(); }
SmallVector<Attribute> CallOp::getParameters() { return llvm::to_vector(getPassed().getValue()); }
StringRef CallOp::getBitcode() { return bitcodeOf(getFunction(), getOtherCode()); }
mlc::df::HostFunction CallOp::getHostFunction() { return hostFunctionOf(getFunction()); }
bool CallOp::isDeterministic() { return !getRandom(); }
bool CallOp::isThreadSafe() { return true; }

StringRef DrawOp::getCallee() { return getFunction(); }
StringRef DrawOp::getBitcode() { return bitcodeOf(getFunction(), getOtherCode()); }
mlc::df::HostFunction DrawOp::getHostFunction() { return hostFunctionOf(getFunction()); }
bool DrawOp::isDeterministic() { return false; }
bool DrawOp::isThreadSafe() { return false; }

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "probe", "0.1", [](DialectRegistry *registry) { registry->insert<ProbeDialect>(); }};
}
