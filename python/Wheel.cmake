# The parts of a wheel: the module with all that it needs but the C and C++ libraries, and mlc/link, which trainers are
# linked with. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# mlc_wheel_module(NAME): a module that brings the C++ library, and asks for no newer C library than the wheel's tag says.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgcc.a OUTPUT_VARIABLE _libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
function(mlc_wheel_module name)
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:mlc_glibc>)
  # Conversions of half floats: before the shared one, where GCC 11 has none.
  target_link_libraries(${name} PRIVATE ${_libgcc})
  target_link_options(${name} PRIVATE -static-libstdc++ -Wl,--build-id=sha1 -Wl,-s)
endfunction()
mlc_python_exports(mlc_native)
mlc_wheel_module(mlc_native)
target_sources(mlc_native PRIVATE native/ThreadLocals.c)
mlc_wheel_module(mlc_runtime)
mlc_runtime_module(mlc_runtime_alone mlc_runtime)
mlc_wheel_module(mlc_runtime_alone)

add_custom_target(mlc_wheel ALL)
add_dependencies(mlc_wheel mlc_native mlc_runtime mlc_linker mlc_runtime_object)
get_property(_files GLOBAL PROPERTY MLC_WHEEL_LINK_FILES)
install(TARGETS mlc_native mlc_runtime LIBRARY DESTINATION mlc COMPONENT wheel)
install(TARGETS mlc_linker RUNTIME DESTINATION mlc/link COMPONENT wheel)
install(FILES ${PROJECT_BINARY_DIR}/python/mlc/df.py DESTINATION mlc COMPONENT wheel)
install(FILES ${_files} DESTINATION mlc/link COMPONENT wheel)
# The licenses of what is linked in.
foreach(_package llvm-22-dev libmlir-22-dev liblld-22-dev libgrpc-dev libabsl-dev libprotobuf-dev libre2-dev libc-ares-dev libssl-dev
    nlohmann-json3-dev zlib1g-dev libzstd-dev libfarmhash-dev libstdc++-12-dev libc6-dev)
  install(FILES /usr/share/doc/${_package}/copyright DESTINATION mlc/licenses RENAME ${_package}.txt COMPONENT wheel)
endforeach()

# The other distribution, mlc-runtime (python/runtime/pyproject.toml): the package mlc_runtime, of the same sources.
install(TARGETS mlc_runtime_alone LIBRARY DESTINATION mlc_runtime COMPONENT runtime_wheel)
install(FILES mlc/runtime.py DESTINATION mlc_runtime RENAME __init__.py COMPONENT runtime_wheel)
install(FILES mlc/errors.py mlc/_runtime.pyi mlc/py.typed DESTINATION mlc_runtime COMPONENT runtime_wheel)
foreach(_package libabsl-dev nlohmann-json3-dev zlib1g-dev libzstd-dev libfarmhash-dev libstdc++-12-dev libc6-dev)
  install(FILES /usr/share/doc/${_package}/copyright DESTINATION mlc_runtime/licenses RENAME ${_package}.txt COMPONENT runtime_wheel)
endforeach()
