// The op interface of ops that are composites in some of their forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_FORMS_TD
#define DF_FORMS_TD

include "mlir/IR/OpBase.td"

def CompositeFormsOpInterface : OpInterface<"CompositeFormsOpInterface"> {
  let description = [{
    An op that is a composite (`DecomposableOpInterface`) in some of its forms, and in others has rules of its own: of the
    interpreter, of code, of gradients. `df-decompose` takes the composite forms apart before any of these sees them.
    An op of `DecomposableOpInterface` without this interface is a composite in all of its forms.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<"Whether the op, in the form that it has, stands for its decomposition.", "bool", "isCompositeForm">,
  ];
}

def Df_CompositeForms : DeclareOpInterfaceMethods<CompositeFormsOpInterface>;

#endif // DF_FORMS_TD
