# What `cmake --install` gives. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)

if(MLC_BUILD_COMPILER)
  install(TARGETS mlc mlc-opt RUNTIME DESTINATION bin)
endif()
if(MLC_BUILD_RUNTIME)
  # Trainers are linked with these; mlc looks for them in ../lib.
  install(TARGETS mlcrt_main mlcrt_train mlcrt_cluster mlcrt_run mlcrt_summary mlcrt_export mlcrt_checkpoint mlcrt_input mlcrt_core mlc_common
    ARCHIVE DESTINATION lib)
  install(TARGETS mlcrt EXPORT mlcrtTargets LIBRARY DESTINATION lib)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/abi.h ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/services.def
    ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/predictor.h DESTINATION include/mlcrt)
  install(EXPORT mlcrtTargets FILE mlcrtConfig.cmake NAMESPACE mlcrt:: DESTINATION lib/cmake/mlcrt)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/mlcrtConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/mlcrtConfigVersion.cmake DESTINATION lib/cmake/mlcrt)
endif()
