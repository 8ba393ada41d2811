// What services take, told from the types of their C functions: the list is mlcrt/services.def alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/KernServices.h"
#include "mlcrt/abi.h"

#include <vector>

using namespace mlir;
using namespace mlc::kern;
using Kind = ServiceParameter::Kind;
using Element = ServiceParameter::Element;

namespace {

template <typename T> constexpr Element elementOf = Element::Any;
template <> constexpr Element elementOf<uint8_t> = Element::I8;
template <> constexpr Element elementOf<int64_t> = Element::I64;
template <> constexpr Element elementOf<float> = Element::F32;
template <> constexpr Element elementOf<double> = Element::F64;
template <> constexpr Element elementOf<mlcrt_string> = Element::String;

template <typename T> struct ParameterOf {
  static constexpr ServiceParameter value = {Kind::Other};
};
template <typename T> struct ParameterOf<const T *> {
  static constexpr ServiceParameter value = {Kind::In, elementOf<T>};
};
template <typename T> struct ParameterOf<T *> {
  static constexpr ServiceParameter value = {Kind::Out, elementOf<T>};
};
template <> struct ParameterOf<mlcrt_task_fn> {
  static constexpr ServiceParameter value = {Kind::Other};
};
template <> struct ParameterOf<const char *> {
  static constexpr ServiceParameter value = {Kind::Text};
};
template <> struct ParameterOf<int32_t> {
  static constexpr ServiceParameter value = {Kind::I32};
};
template <> struct ParameterOf<int64_t> {
  static constexpr ServiceParameter value = {Kind::I64};
};

template <typename... Parameters> llvm::SmallVector<ServiceParameter> parametersOf(int32_t (*)(void *, Parameters...)) {
  return {ParameterOf<Parameters>::value...};
}

} // namespace

const ServiceDescription *mlc::kern::lookupService(StringRef name) {
  static const std::vector<ServiceDescription> services = {
#define MLCRT_SERVICE(service, parameters) {#service, parametersOf(decltype(mlcrt_services::service)())},
#include "mlcrt/services.def"
#undef MLCRT_SERVICE
  };
  auto found = llvm::find_if(services, [&](const ServiceDescription &service) { return service.name == name; });
  return found == services.end() ? nullptr : &*found;
}

/// Whether a buffer of `type` holds what a pointer to `element` points to.
static bool holds(ShapedType type, Element element) {
  Type found = type.getElementType();
  switch (element) {
  case Element::Any:
    return true;
  case Element::I8:
    return found.isInteger(8) || found.isInteger(1);
  case Element::I64:
    return found.isInteger(64);
  case Element::F32:
    return found.isF32();
  case Element::F64:
    return found.isF64();
  case Element::String:
    return found.isInteger(64) && type.getRank() && type.getShape().back() == 2;
  }
  llvm_unreachable("an element");
}

/// What a letter may stand for.
static bool fits(char letter, Kind kind) {
  switch (letter) {
  case 'b':
    return kind == Kind::In || kind == Kind::Out;
  case 'u':
    return kind == Kind::Out;
  case 'z':
    return kind == Kind::In || kind == Kind::Out || kind == Kind::Text;
  case 'n':
  case 'm':
  case 'e':
  case 'l':
  case 'v':
    return kind == Kind::I64;
  case 'i':
    return kind == Kind::I32;
  case 's':
    return kind == Kind::Text;
  default:
    return false;
  }
}

LogicalResult mlc::kern::verifyServiceCall(ServiceOp op, const ServiceDescription &service) {
  std::string letters = op.getSignature().str();
  llvm::erase(letters, '!');
  if (letters.size() != service.parameters.size())
    return op.emitOpError("(C3) service '")
           << service.name << "' takes " << service.parameters.size() << " arguments; signature '" << op.getSignature()
           << "' gives " << letters.size();
  SmallVector<Value> buffers(op.getIns());
  llvm::append_range(buffers, op.getOuts());
  size_t next = 0;
  for (auto [i, letter, parameter] : llvm::enumerate(letters, service.parameters)) {
    if (!fits(letter, parameter.kind))
      return op.emitOpError("(C3) argument ")
             << i << " of service '" << service.name << "' cannot be what the letter '" << StringRef(&letter, 1)
             << "' of signature '" << op.getSignature() << "' gives";
    if (letter != 'b' && letter != 'u' && letter != 'v')
      continue;
    const bool isOut = next >= op.getIns().size();
    auto type = cast<ShapedType>(buffers[next++].getType());
    if (letter == 'v') {
      if (isOut || !type.getElementType().isInteger(64) || !type.hasStaticShape() || type.getNumElements() != 1)
        return op.emitOpError("(C3) argument ")
               << i << " of service '" << service.name << "' is a number; expected one of ins that holds an i64, found "
               << type;
      continue;
    }
    if (isOut != (parameter.kind == Kind::Out))
      return op.emitOpError("(C3) argument ")
             << i << " of service '" << service.name << "' must be one of " << (isOut ? "ins" : "outs");
    if (!holds(type, parameter.element))
      return op.emitOpError("(C3) argument ")
             << i << " of service '" << service.name << "' has other elements than " << type;
  }
  return success();
}
