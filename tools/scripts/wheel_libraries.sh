#!/usr/bin/env bash
# Builds the libraries of Debian whose archives cannot go into a shared library: wheel_libraries.sh DIRECTORY
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian's archives of abseil, protobuf and re2 are made for executables: their thread-local variables, and stderr, lie at
# fixed places. These are the sources of the very packages that are installed, by `apt-get source`, with -fPIC. Done once for
# a DIRECTORY; made anew where the packages, or this file, are others.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: wheel_libraries.sh DIRECTORY" >&2; exit 2; }
self=$(readlink -f "$0")
mkdir -p "$1"
cd "$1"
exec 9>lock
flock 9

sources=$(dpkg-query -W -f '${source:Package}=${source:Version}\n' libabsl-dev libprotobuf-dev libre2-dev)
state=$(printf '%s\n' "$sources"; sha256sum <"$self")
[ "$state" != "$(cat state 2>/dev/null)" ] || exit 0
rm -rf state include lib work
mkdir -p lib work/apt/parts work/apt/lists/partial work/objects

# The sources of this machine with their packages' sources, beside what apt itself knows.
shopt -s nullglob
for file in /etc/apt/sources.list.d/*.sources; do
  sed 's/^Types:.*/Types: deb-src/' "$file" >"work/apt/parts/$(basename "$file")"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -e "$file" ] || continue
  sed -nE 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >"work/apt/parts/$(basename "$file" .list).list"
done
apt=(apt-get -qq -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$PWD/work/apt/parts"
  -o "Dir::State::lists=$PWD/work/apt/lists" -o APT::Sandbox::User=)
"${apt[@]}" update
# shellcheck disable=SC2086 # one argument for each line
(cd work && "${apt[@]}" source $sources >/dev/null 2>source.log) || { cat work/source.log >&2; exit 1; }

# Names as GCC 12 mangles them, which made the gRPC that calls them.
abi=-fclang-abi-compat=17

# build NAME OPTIONS...: one that is built by CMake.
build() {
  local name=$1 log=work/$1.log
  shift
  echo "wheel_libraries: building $name"
  {
    cmake -S work/"$name"-[0-9]* -B "work/build-$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 \
      -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_CXX_FLAGS="$abi" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
      -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$PWD" -DCMAKE_INSTALL_LIBDIR=lib "$@"
    ninja -C "work/build-$name" install
  } >"$log" 2>&1 || { tail -50 "$log" >&2; exit 1; }
}
build abseil
build protobuf -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF

# Three sources of re2 are made when Debian builds it, of its package of Unicode: tables, whose objects can stay.
echo "wheel_libraries: building re2"
cp "$(clang++-22 -print-file-name=libre2.a)" lib/libre2.a
(
  cd work/re2-[0-9]*
  printf '%s\n' re2/*.cc util/rune.cc util/strutil.cc |
    xargs -P "$(nproc)" -I{} sh -c 'clang++-22 -std=c++17 -w '"$abi"' -O2 -fPIC -pthread -I. -c {} -o ../objects/$(basename {} .cc).o'
)
llvm-ar-22 r lib/libre2.a work/objects/*.o

for archive in lib/*.a; do
  # No pipe into grep -q: it ends readelf, which then fails.
  if [ "$(llvm-readelf-22 -rW "$archive" | grep -cE 'R_X86_64_(TPOFF32|GOTTPOFF)' || true)" -ne 0 ]; then
    echo "wheel_libraries: $archive cannot go into a shared library" >&2
    exit 1
  fi
done
rm -rf work
printf '%s\n' "$state" >state
