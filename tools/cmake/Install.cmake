# What `cmake --install` gives. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)

if(MLC_BUILD_COMPILER)
  set(_tools mlc-lsp-server mlc-opt mlc-reduce)
  if(MLC_BUILD_RUNTIME)
    list(APPEND _tools mlc)
  endif()
  set_target_properties(MLC ${_tools} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS MLC ${_tools} EXPORT MLCTargets RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
  install(TARGETS mlc_linker RUNTIME DESTINATION lib)
  # What plug-ins are written with: headers that others may include, what they include of the generated ones, TableGen
  # files.
  set(MLC_INSTALL_INCLUDE include/mlc-compiler)
  foreach(_tree dialects include/mlc common)
    get_filename_component(_name ${_tree} NAME)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${_tree}/ ${PROJECT_BINARY_DIR}/${_tree}/ DESTINATION ${MLC_INSTALL_INCLUDE}/${_name}
      FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc" PATTERN "*.td" PATTERN "CMakeFiles" EXCLUDE)
  endforeach()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/ DESTINATION ${MLC_INSTALL_INCLUDE}/lib FILES_MATCHING PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/abi.h ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/services.def
    ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/kernel_needs.h
    DESTINATION ${MLC_INSTALL_INCLUDE}/mlcrt)
  # For tests by lit.
  set(MLC_INSTALL_LIT lib/mlc/lit)
  foreach(_helper exit metrics mlc_lit npy)
    install(FILES ${PROJECT_SOURCE_DIR}/test/Inputs/${_helper}.py DESTINATION ${MLC_INSTALL_LIT})
  endforeach()
  set(MLC_INSTALL_TOOLS bin)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mlc-c DESTINATION include)
  install(EXPORT MLCTargets NAMESPACE MLC:: DESTINATION lib/cmake/MLC)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/cmake/MLCConfig.cmake.in ${PROJECT_BINARY_DIR}/MLCConfig.cmake
    INSTALL_DESTINATION lib/cmake/MLC PATH_VARS MLC_INSTALL_INCLUDE MLC_INSTALL_LIT MLC_INSTALL_TOOLS)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/MLCConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/MLCConfig.cmake ${PROJECT_BINARY_DIR}/MLCConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/tools/cmake/AddMLCPlugin.cmake ${PROJECT_SOURCE_DIR}/tools/cmake/EmbedFile.cmake
    ${PROJECT_SOURCE_DIR}/tools/cmake/PluginBuild.cmake DESTINATION lib/cmake/MLC)
endif()
if(MLC_BUILD_RUNTIME)
  if(MLC_BUILD_COMPILER)
    # Trainers are linked with it; mlc looks for it in ../lib, and for the linker.
    install(FILES ${MLC_RUNTIME_OBJECT} DESTINATION lib)
  endif()
  install(TARGETS mlcrt EXPORT mlcrtTargets LIBRARY DESTINATION lib)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/abi.h ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/services.def
    ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/kernel_needs.h
    ${PROJECT_SOURCE_DIR}/runtime/include/mlcrt/predictor.h DESTINATION include/mlcrt)
  install(EXPORT mlcrtTargets FILE mlcrtConfig.cmake NAMESPACE mlcrt:: DESTINATION lib/cmake/mlcrt)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/mlcrtConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/mlcrtConfigVersion.cmake DESTINATION lib/cmake/mlcrt)
endif()
