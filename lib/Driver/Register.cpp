// The one place where dialects, passes and pipelines are registered: one line each, sorted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Register.h"
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Transforms/DfPipeline.h"
#include "dialects/Dist/IR/Dist.h"
#include "dialects/Dist/Transforms/DistPasses.h"
#include "dialects/Est/IR/Est.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "lib/Driver/NearestNames.h"
#include "lib/Driver/RegisterUpstream.h"
#include "mlc/Codegen/Codegen.h"
#include "mlc/Conversion/ConversionPasses.h"
#include "mlc/Conversion/DfToLinalg/DfToLinalg.h"
#include "mlc/Interpreter/ConstantFolding.h"
#include "mlc/Interpreter/InterpreterPasses.h"
#include "mlc/Target/Artifact/ArtifactPasses.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlc/Target/CUDA/CudaPasses.h"

void mlc::registerDialects(mlir::DialectRegistry &registry) {
  registerUpstreamDialects(registry);
  registry.insert<df::DfDialect>();
  registry.insert<dist::DistDialect>();
  registry.insert<est::EstDialect>();
  registry.insert<kern::KernDialect>();
  registry.insert<MlcDialect>();
  df::registerDfDecompositions(registry);
  df::registerDfGradients(registry);
  interp::registerConstantFolding(registry);
  kern::registerBufferization(registry);
  registerNearestNames(registry);
}

void mlc::registerPasses() {
  registerUpstreamPasses();
  registerMlcPasses();
}

void mlc::registerMlcPasses() {
  registerCodegenPasses();
  registerCodegenPipelines();
  registerConversionPasses();
  registerArtifactPasses();
  registerCpuPasses();
  registerCpuPipelines();
  registerCudaPasses();
  registerCudaPipelines();
  registerDfToLinalgPasses();
  registerInterpreterPasses();
  df::registerDfPasses();
  df::registerDfPipelines();
  dist::registerDistPasses();
}
