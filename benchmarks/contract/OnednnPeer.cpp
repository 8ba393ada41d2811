// mlc_onednn_peer conv2d|matmul WEIGHTS SIZES...: the same product or convolution by oneDNN.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv2d: N H W C K O, a K x K window with padding K/2 and stride 1, channels last. matmul: M N K, row-major. The
// weights come in the order of mlc ([K, K, C, O] and [K, N]) and are brought into the library's own layout before
// anything is timed. It runs as many threads as processors it is bound to. Answers as Protocol.h says.
#include "benchmarks/contract/Protocol.h"

#include "oneapi/dnnl/dnnl.hpp"

#include <cstdlib>
#include <fstream>
#include <unordered_map>
#include <vector>

using dnnl::memory;

int main(int argc, char **argv) {
  std::string kind = argc > 1 ? argv[1] : "";
  size_t sizesNeeded = kind == "conv2d" ? 6 : 3;
  if ((kind != "conv2d" && kind != "matmul") || static_cast<size_t>(argc) != 3 + sizesNeeded) {
    std::fprintf(stderr, "usage: mlc_onednn_peer conv2d|matmul WEIGHTS SIZES...\n");
    return 2;
  }
  std::vector<memory::dim> s;
  for (int i = 3; i < argc; ++i)
    s.push_back(std::atoll(argv[i]));
  try {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    const auto f32 = memory::data_type::f32;
    const auto any = memory::format_tag::any;
    dnnl::primitive primitive;
    memory::desc source, given, wanted, target;
    if (kind == "conv2d") {
      memory::dims x = {s[0], s[3], s[1], s[2]}, w = {s[5], s[3], s[4], s[4]}, y = {s[0], s[5], s[1], s[2]};
      memory::dims ones = {1, 1}, around = {s[4] / 2, s[4] / 2};
      source = memory::desc(x, f32, memory::format_tag::nhwc);
      target = memory::desc(y, f32, memory::format_tag::nhwc);
      given = memory::desc(w, f32, memory::format_tag::hwio);
      dnnl::convolution_forward::primitive_desc description(engine, dnnl::prop_kind::forward_inference,
                                                            dnnl::algorithm::convolution_direct, source,
                                                            memory::desc(w, f32, any), target, ones, around, around);
      wanted = description.weights_desc();
      primitive = dnnl::convolution_forward(description);
    } else {
      source = memory::desc({s[0], s[2]}, f32, memory::format_tag::ab);
      target = memory::desc({s[0], s[1]}, f32, memory::format_tag::ab);
      given = memory::desc({s[2], s[1]}, f32, memory::format_tag::ab);
      dnnl::matmul::primitive_desc description(engine, source, memory::desc({s[2], s[1]}, f32, any), target);
      wanted = description.weights_desc();
      primitive = dnnl::matmul(description);
    }
    memory x(source, engine), w(given, engine), packed(wanted, engine), y(target, engine);
    auto *elements = static_cast<float *>(x.get_data_handle());
    for (size_t i = 0; i < source.get_size() / sizeof(float); ++i)
      elements[i] = mlcbench::inputElement(static_cast<int64_t>(i));
    std::ifstream file(argv[2], std::ios::binary);
    if (!file.read(static_cast<char *>(w.get_data_handle()), static_cast<std::streamsize>(given.get_size()))) {
      std::fprintf(stderr, "mlc_onednn_peer: %s has no %zu bytes\n", argv[2], given.get_size());
      return 1;
    }
    dnnl::reorder(w, packed).execute(stream, w, packed);
    stream.wait();
    std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, y}};
    auto run = [&] {
      primitive.execute(stream, arguments);
      stream.wait();
      return true;
    };
    const auto *output = static_cast<const float *>(y.get_data_handle());
    return mlcbench::answer(run, output, static_cast<int64_t>(target.get_size() / sizeof(float)));
  } catch (const dnnl::error &error) {
    std::fprintf(stderr, "mlc_onednn_peer: %s\n", error.what());
    return 1;
  }
}
