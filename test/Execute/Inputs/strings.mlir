// Strings in, strings out; and a part of the state in files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "strings"} {
  df.variable @encoder.w : tensor<2x2xf32> = #df.constant<1.0>
  df.variable @encoder.n : tensor<i64> = #df.constant<3.0>
  df.variable @decoder.w : tensor<f16> = #df.constant<0.5>

  df.function @words(%line: tensor<?x!df.string> {df.name = "line"})
      -> (tensor<?x!df.string> {df.name = "word"}, tensor<?xi64> {df.name = "ends"}, tensor<?x!df.string> {df.name = "joined"},
          tensor<?x!df.string> {df.name = "told"}) {
    %s = df.string_strip %line : tensor<?x!df.string>
    %l = df.string_lower %s : tensor<?x!df.string>
    %w, %e = df.string_split %l {delimiter = " ,", any_byte, skip_empty} : (tensor<?x!df.string>) -> (tensor<?x!df.string>, tensor<?xi64>)
    %j = df.segment_join %w, %e {separator = "_"} : (tensor<?x!df.string>, tensor<?xi64>) -> tensor<?x!df.string>
    %n = df.string_length %line : (tensor<?x!df.string>) -> tensor<?xi64>
    %t = df.string_format %n, %j {pattern = "{} bytes: {}"} : (tensor<?xi64>, tensor<?x!df.string>) -> tensor<?x!df.string>
    df.return %w, %e, %j, %t : tensor<?x!df.string>, tensor<?xi64>, tensor<?x!df.string>, tensor<?x!df.string>
  }

  df.function @numbers(%text: tensor<?x!df.string> {df.name = "text"}) -> (tensor<?xf32> {df.name = "number"}, tensor<?x!df.string> {df.name = "again"}) {
    %x = df.string_to_number %text : (tensor<?x!df.string>) -> tensor<?xf32>
    %s = df.as_string %x : (tensor<?xf32>) -> tensor<?x!df.string>
    df.return %x, %s : tensor<?xf32>, tensor<?x!df.string>
  }

  df.function @keep(%path: tensor<!df.string> {df.name = "path"}, %x: tensor<2x2xf32> {df.name = "x"}) -> (tensor<2x2xf32> {df.name = "w"}) {
    df.assign_add @encoder.w, %x : tensor<2x2xf32>
    df.save "encoder.*" to %path : tensor<!df.string>
    // After the file: not in it.
    df.assign_add @encoder.w, %x : tensor<2x2xf32>
    %w = df.read @encoder.w : tensor<2x2xf32>
    df.return %w : tensor<2x2xf32>
  }

  df.function @take(%path: tensor<!df.string> {df.name = "path"})
      -> (tensor<2x2xf32> {df.name = "w"}, tensor<i64> {df.name = "n"}, tensor<f16> {df.name = "d"}) {
    df.restore "encoder.*" from %path : (tensor<!df.string>) -> ()
    %w = df.read @encoder.w : tensor<2x2xf32>
    %n = df.read @encoder.n : tensor<i64>
    %d = df.read @decoder.w : tensor<f16>
    df.return %w, %n, %d : tensor<2x2xf32>, tensor<i64>, tensor<f16>
  }

  df.function @take_all(%path: tensor<!df.string> {df.name = "path"}) -> (tensor<i64> {df.name = "n"}) {
    df.restore "*" from %path : (tensor<!df.string>) -> ()
    %n = df.read @encoder.n : tensor<i64>
    df.return %n : tensor<i64>
  }
}
