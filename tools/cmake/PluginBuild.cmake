# Writes OUT, a source with the entry of a plug-in that says which mlc it is built with: the id of LIBRARY, libMLC.so.
# cmake -DREADELF=... -DLIBRARY=... -DOUT=... -P PluginBuild.cmake  SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
execute_process(COMMAND ${READELF} -n ${LIBRARY} OUTPUT_VARIABLE _notes RESULT_VARIABLE _failed)
if(_failed OR NOT _notes MATCHES "Build ID: ([0-9a-f]+)")
  message(FATAL_ERROR "${LIBRARY} has no build id, by which mlc knows plug-ins that are built with it")
endif()
file(WRITE ${OUT} "extern \"C\" const char *mlcGetPluginBuild() { return \"${CMAKE_MATCH_1}\"; }\n")
