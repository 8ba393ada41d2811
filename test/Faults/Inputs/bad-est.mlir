// A numeric column of another width than its feature.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<2>
}
