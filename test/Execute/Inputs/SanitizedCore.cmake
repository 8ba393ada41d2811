# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs of the runtime's core under a sanitizer of clang, whose runtime knows what mlc's instrumentation calls.
find_program(MLC_CLANGXX NAMES clang++-${LLVM_VERSION_MAJOR} clang++)
set(MLC_CORE_SOURCES)
foreach(name Arena Artifact ArtifactCheck ArtifactEntryCheck CpuFeatures DeviceOperands Devices DeviceValue EntryAhead EntryLaunch EntryRunner EntrySymbols Environment Grouping JsonText LookupTables Metrics Parts Program Queue Ranks RowPulls Rows RowSet ProfilerRanges RunObservation SegmentPieces SegmentRecordings Services Settings ShardPlan Sorting State StateTensors
        StopToken StringServices SumRanges SumTree TaskMetrics Tensor ThreadPool Timeline TrainStep)
  list(APPEND MLC_CORE_SOURCES ${PROJECT_SOURCE_DIR}/runtime/src/core/${name}.cpp)
endforeach()
# What the thread pool asks how many threads it may have.
list(APPEND MLC_CORE_SOURCES ${PROJECT_SOURCE_DIR}/common/machine/MachineLimits.cpp)

# Sets <result> to whether there is a clang that links with -fsanitize=<sanitizer>.
function(mlc_has_sanitizer result sanitizer)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe)
  file(WRITE ${probe}.cpp "int main() {}\n")
  set(failed 1)
  if(MLC_CLANGXX)
    execute_process(COMMAND ${MLC_CLANGXX} -fsanitize=${sanitizer} ${probe}.cpp -o ${probe} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(failed)
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Compiles sources into <name>.<sanitizer>.o, with MLC_SANITIZED_FLAGS, after MLC_SANITIZED_DEPENDS; sets <result> to their list.
function(mlc_sanitized_objects result sanitizer)
  set(flags -std=c++17 -O1 -g -fsanitize=${sanitizer} -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/runtime/include ${MLC_SANITIZED_FLAGS})
  set(objects)
  foreach(source ${ARGN})
    get_filename_component(name ${source} NAME_WE)
    set(object ${name}.${sanitizer}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${MLC_CLANGXX} ${flags} -MD -MF ${object}.d -MT ${CMAKE_CURRENT_BINARY_DIR}/${object} -c ${source} -o ${object}
      DEPENDS ${source} ${MLC_SANITIZED_DEPENDS} DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${object}.d
      COMMENT "Building ${name} with -fsanitize=${sanitizer}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# Links objects and MLC_SANITIZED_LIBRARIES into <program>.
function(mlc_sanitized_program program sanitizer)
  file(GLOB absl ${CMAKE_LIBRARY_ARCHITECTURE_PATH}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libabsl_*.a)
  add_custom_command(OUTPUT ${program}
    COMMAND ${MLC_CLANGXX} -fsanitize=${sanitizer} ${ARGN} -o ${program} -Wl,--start-group ${absl} -Wl,--end-group ${MLC_FARMHASH} ${MLC_SANITIZED_LIBRARIES} -ldl -lpthread
    DEPENDS ${ARGN} VERBATIM)
endfunction()
