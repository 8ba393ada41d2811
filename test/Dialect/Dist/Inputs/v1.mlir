module {
  dist.program @worker_0_cpu_0 on "/job:worker/task:0/device:CPU:0" {
    df.function @f(%arg0: tensor<4xf32> {dist.argument = 0 : i64}) -> tensor<4xf32> attributes {role = #df.role<other>} {
      dist.send %arg0, %arg0 to @ps_0_cpu_0 channel 0 : tensor<4xf32>, tensor<4xf32>
      %0 = dist.recv from @ps_0_cpu_0 channel 1 : tensor<4xf32>
      df.return %0 : tensor<4xf32>
    }
  }
  dist.program @ps_0_cpu_0 on "/job:ps/task:0/device:CPU:0" attributes {mlc.note = 1 : i64} {
    df.function @f() attributes {role = #df.role<other>} {
      %0:2 = dist.recv from @worker_0_cpu_0 channel 0 : tensor<4xf32>, tensor<4xf32>
      %1 = df.add %0#0, %0#1 : tensor<4xf32>
      dist.send %1 to @worker_0_cpu_0 channel 1 : tensor<4xf32>
      df.return
    }
  }
  dist.program @empty on "/device:GPU:1" {
  }
}

