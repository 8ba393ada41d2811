#!/usr/bin/env bash
# fresh_stop.sh SCRIPT DIRECTORY: a signal to fresh.sh ends all that it has started, and takes its root away.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -u
unshare --mount --pid --fork true 2>/dev/null || { echo "skipped: namespaces are not for this user"; exit 0; }
rm -rf "$2" && mkdir -p "$2/bin" "$2/tmp" && cd "$2" || exit 1
# Stands for the minutes that a root takes.
printf '#!/bin/sh\ntouch %s/started\nexec sleep 31536001\n' "$PWD" >bin/debootstrap
chmod +x bin/debootstrap
PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp "$1" --demo &
script=$!
until [ -e started ]; do
  kill -0 $script 2>/dev/null || { echo "fresh.sh ended before it began"; exit 1; }
  sleep 0.1
done
kill -TERM $script
wait $script
echo "status $?"
# The brackets keep grep from finding itself.
goes_on() { grep -aqs 'sleep.3153600[1]' /proc/[0-9]*/cmdline; }
for _ in $(seq 100); do
  goes_on || break
  sleep 0.1
done
goes_on && echo "something goes on running"
echo "left: $(ls tmp)"
