/* An artifact of one entry whose segment works on a GPU, for a trainer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "mlcrt/abi.h"

#define ROWS MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)

static const mlcrt_value features[] = {{"x", MLCRT_F32, MLCRT_DIMS(ROWS)}};
static const mlcrt_value outputs[] = {{"out", MLCRT_F32, MLCRT_DIMS(ROWS)}};
static const mlcrt_device devices[] = {{"/device:CUDA:0", "cuda"}};
static const mlcrt_space spaces[] = {{"memory of the GPU", 0, 0, 256}};
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
static const mlcrt_image images[] = {{"cuda", "sm_80", MLCRT_IMAGE_PTX, 0, ptx, sizeof(ptx)}};

/* out = 2 * x, by a kernel of the fake driver. */
static int32_t run_double(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  const int64_t arguments[] = {(int64_t)b[0].data, (int64_t)b[1].data, b[0].dims[0]};
  const int64_t shape[] = {1, 1, 1, 32, 1, 1, 0};
  return frame->services->device_launch(frame->env, 0, "double", shape, arguments, 3);
}

static const mlcrt_operand operands[] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, 1, 0},
                                         {MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 0, 1, 0}};
static const mlcrt_segment segments[] = {
    {"double", MLCRT_SEGMENT_STEP, 0, MLCRT_SEGMENT_CAPTURABLE, 2, operands, run_double, 0, NULL}};
static const mlcrt_entry entries[] = {{"double", MLCRT_ROLE_OTHER, 1, segments, 0, 1, 0, outputs}};

static const mlcrt_artifact artifact = {
    .struct_size = sizeof(mlcrt_artifact),
    .version = MLCRT_ABI_VERSION,
    .name = "double",
    .state_fingerprint = "d0",
    .plan_fingerprint = "d0",
    .cpu_features = "",
    .manifest = "{\"input\": {\"csv\": {}, \"columns\": [{\"name\": \"x\", \"dtype\": \"FLOAT32\"}]}}",
    .num_features = 1,
    .num_entries = 1,
    .features = features,
    .entries = entries,
    .images = images,
    .num_images = 1,
    .devices = devices,
    .num_devices = 1,
    .spaces = spaces,
    .num_spaces = 1,
};

const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, void *reserved) {
  (void)reserved;
  return max_version < artifact.version ? 0 : &artifact;
}
