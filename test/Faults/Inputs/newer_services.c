/* An artifact of the next minor version, whose code calls a service that is new there. With ASKS it gives its table to
 * those alone who know that version, as compiled artifacts do; else to all.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "mlcrt/abi.h"

static const mlcrt_value outputs[] = {{"value", MLCRT_F32, MLCRT_SCALAR}};

static int32_t run(mlcrt_frame *frame) {
  typedef int32_t (*service)(void *env);
  service behind = *(const service *)(frame->services + 1); /* the first that this runtime's table does not have */
  return behind(frame->env);
}

static const mlcrt_operand operands[] = {{MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
static const mlcrt_segment segments[] = {{"run", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 1, operands, run, 0, NULL}};
static const mlcrt_entry entries[] = {{"run", MLCRT_ROLE_OTHER, 1, segments, 0, 1, 0, outputs}};
static const mlcrt_artifact artifact = {sizeof(mlcrt_artifact),
                                        MLCRT_ABI_VERSION + 1,
                                        "newer",
                                        "0",
                                        "0",
                                        "",
                                        "{}",
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        1,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        entries,
                                        0,
                                        0,
                                        0,
                                        0};

const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, void *reserved) {
  (void)reserved;
#ifdef ASKS
  if (max_version < artifact.version)
    return 0;
#else
  (void)max_version;
#endif
  return &artifact;
}
