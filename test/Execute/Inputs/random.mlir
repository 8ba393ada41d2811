// One entry that draws by every op, with loops of loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "sampling"} {
  df.function @draw() -> (tensor<20xi64> {df.name = "sampled"}, tensor<4xf32> {df.name = "true_expected"}, tensor<20xf32> {df.name = "sampled_expected"}, tensor<12xi64> {df.name = "deal"},
                          tensor<6xi64> {df.name = "dice"}, tensor<2x4xi64> {df.name = "next"}, tensor<3x2xf32> {df.name = "loops"}, tensor<9xi64> {df.name = "weighted"}, tensor<3xf32> {df.name = "gumbel"}) {
    %y = df.constant dense<[0, 3, 2, 5]> : tensor<4xi64>
    %s, %t, %e = df.candidate_sampler log_uniform "negatives" %y {num_classes = 50 : i64, unique} : (tensor<4xi64>) -> (tensor<20xi64>, tensor<4xf32>, tensor<20xf32>)
    %i = df.iota {axis = 0 : i64} : () -> tensor<12xi64>
    %deal = df.random_shuffle "deal" %i : tensor<12xi64>
    %dice = df.random_integers "dice" each_step {low = 1 : i64, high = 7 : i64} : () -> tensor<6xi64>
    %x = df.constant dense<[[0.0, 1.0, 0.5], [1.0, 0.0, 2.0]]> : tensor<2x3xf32>
    %c = df.random_categorical "next" each_step %x : (tensor<2x3xf32>) -> tensor<2x4xi64>
    %w = df.constant dense<[1.0, 4.0, 0.0, 2.0, 3.0, 9.0]> : tensor<6xf32>
    %u, %ut, %ue = df.candidate_sampler unigram "words" %y weights %w {num_classes = 6 : i64, distortion = 0.75 : f64} : (tensor<4xi64>, tensor<6xf32>) -> (tensor<9xi64>, tensor<4xf32>, tensor<9xf32>)
    %z = df.constant dense<0.0> : tensor<3x2x1xf32>
    %all = df.scan () over (%z) : (tensor<3x2x1xf32>) -> tensor<3x2x1xf32> {
    ^bb0(%block: tensor<2x1xf32>):
      %rows = df.scan () over (%block) : (tensor<2x1xf32>) -> tensor<2x1xf32> {
      ^bb0(%row: tensor<1xf32>):
        %n = df.random normal "n" each_step : () -> tensor<1xf32>
        df.yield %n : tensor<1xf32>
      }
      df.yield %rows : tensor<2x1xf32>
    }
    %loops = df.reshape %all : (tensor<3x2x1xf32>) -> tensor<3x2xf32>
    %g = df.random_gumbel "g" each_step : () -> tensor<3xf32>
    df.return %s, %t, %e, %deal, %dice, %c, %loops, %u, %g : tensor<20xi64>, tensor<4xf32>, tensor<20xf32>, tensor<12xi64>, tensor<6xi64>, tensor<2x4xi64>, tensor<3x2xf32>, tensor<9xi64>, tensor<3xf32>
  }
}
