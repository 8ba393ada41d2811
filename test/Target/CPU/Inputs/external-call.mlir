// Calls a function that comes with the module; with_bitcode.py puts it there.
module attributes {mlc.name = "external"} {
  kern.external_function @add_two bitcode "BITCODE"
  func.func @add(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<?xf32> {df.binding = #df.binding<output, "y">})
      attributes {df.entry = "add", df.role = #df.role<other>, df.segment = #df.segment<step>, df.type = (tensor<?xf32>) -> tensor<?xf32>} {
    %c0 = arith.constant 0 : index
    %size = tensor.dim %x, %c0 : tensor<?xf32>
    %empty = tensor.empty(%size) : tensor<?xf32>
    %code = tensor.empty() : tensor<i32>
    %y:2 = kern.external_call @add_two ins(%x : tensor<?xf32>) outs(%empty, %code : tensor<?xf32>, tensor<i32>) dtypes [1, 1] {deterministic} -> tensor<?xf32>, tensor<i32>
    %returned = tensor.extract %y#1[] : tensor<i32>
    %zero = arith.constant 0 : i32
    %failed = arith.cmpi ne, %returned, %zero : i32
    scf.if %failed {
      kern.report_error code = 2 row = -1 message = "add_two failed"
    }
    return %y#0 : tensor<?xf32>
  }
}
