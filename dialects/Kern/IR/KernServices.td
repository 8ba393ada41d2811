// What the service ops are made of: generate_service_ops.py writes one record for each service of mlcrt/services.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_SERVICES_TD
#define KERN_SERVICES_TD

include "dialects/Kern/IR/KernBase.td"
include "dialects/Kern/IR/KernInterfaces.td"

/// A tensor or memref that a service reads or writes through a pointer.
class Kern_Buffer<string predicate, string description>
    : Type<And<[Kern_Shaped.predicate, CPred<predicate>]>, "tensor or memref of " # description>;
class Kern_BufferOf<string elementPredicate, string description>
    : Kern_Buffer<"::llvm::cast<::mlir::ShapedType>($_self).getElementType()." # elementPredicate, description>;

def Kern_Integers : Kern_BufferOf<"isInteger(64)", "i64">;
def Kern_Floats : Kern_BufferOf<"isF32()", "f32">;
def Kern_Doubles : Kern_BufferOf<"isF64()", "f64">;
def Kern_Bytes : Kern_Buffer<"::mlc::kern::detail::holdsBytes($_self)", "i8 or i1">;
def Kern_Strings : Kern_Buffer<"::mlc::kern::detail::holdsStrings($_self)", "strings: pairs of i64 along the last dimension">;
def Kern_Number : Kern_Buffer<"::mlc::kern::detail::holdsNumber($_self)", "one i64">;

def Kern_I32Attr : TypedSignlessIntegerAttrBase<I32, "int32_t", "32-bit integer"> {
  let convertFromStorage = "static_cast<int32_t>($_self.getInt())";
}
def Kern_I64Attr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer"> {
  let convertFromStorage = "$_self.getInt()";
}

class Kern_ServiceOp<string service, list<Trait> traits>
    : Kern_Op<service, !listconcat([DestinationStyleOpInterface, MemoryEffectsOpInterface, ServiceOpInterface], traits)>;

#endif // KERN_SERVICES_TD
