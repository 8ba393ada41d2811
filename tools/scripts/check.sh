#!/usr/bin/env bash
# Format and lints. `--fix` formats in place.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail
cd "$(dirname "$0")/../.."
fix=0
case "${1:-}" in
"") ;;
--fix) fix=1 ;;
*) echo "check.sh: unknown argument '$1'; expected --fix" >&2; exit 2 ;;
esac
status=0
mapfile -t sources < <(python3 tools/scripts/lint.py --sources)
if [ $fix -eq 1 ]; then
  clang-format-22 -i "${sources[@]}"
elif ! clang-format-22 --dry-run -Werror "${sources[@]}" >/dev/null 2>&1; then
  echo "format: these files differ from clang-format-22 (tools/scripts/check.sh --fix):"
  for f in "${sources[@]}"; do clang-format-22 --dry-run -Werror "$f" >/dev/null 2>&1 || echo "  $f"; done
  status=1
fi
python3 tools/scripts/lint.py || status=1
[ $status -eq 0 ] && echo "check: format and lints are clean"
exit $status
