# What a module of Python is linked with that brings all it needs: archives, found before shared libraries.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(NOT MLC_LLD)
  message(FATAL_ERROR "MLC_WHEEL needs ld.lld")
endif()
set(MLC_WHEEL_LIBRARIES ${PROJECT_SOURCE_DIR}/build-wheel/third_party CACHE PATH "Libraries that tools/scripts/wheel_libraries.sh makes")
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/scripts/wheel_libraries.sh ${MLC_WHEEL_LIBRARIES} COMMAND_ERROR_IS_FATAL ANY)
list(PREPEND CMAKE_PREFIX_PATH ${MLC_WHEEL_LIBRARIES})
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
set(MLC_ZSTD zstd::libzstd_static)

# gRPC::grpc++ of archives: Debian's own target is the shared library.
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf REQUIRED)
find_package(absl REQUIRED CONFIG)
# Their headers are those of the packages, where compilers look anyway: so flags are those of the ordinary build, and what a
# compiler's cache has of one serves the other.
get_property(_targets DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(_target ${_targets})
  get_target_property(_include ${_target} INTERFACE_INCLUDE_DIRECTORIES)
  if("${_include}" STREQUAL "${MLC_WHEEL_LIBRARIES}/include")
    set_target_properties(${_target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "")
  endif()
endforeach()
set(_grpc)
foreach(_library grpc++ grpc gpr address_sorting upb re2 cares)
  find_library(MLC_WHEEL_${_library} NAMES lib${_library}.a REQUIRED)
  list(APPEND _grpc ${MLC_WHEEL_${_library}})
endforeach()
file(GLOB _absl ${MLC_WHEEL_LIBRARIES}/lib/libabsl_*.a)
add_library(gRPC::grpc++ INTERFACE IMPORTED GLOBAL)
target_link_libraries(gRPC::grpc++ INTERFACE ${_grpc} ${_absl} protobuf::libprotobuf OpenSSL::SSL ZLIB::ZLIB)
