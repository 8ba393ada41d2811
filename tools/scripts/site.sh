#!/usr/bin/env bash
# Makes the site of the documentation, build/site: all pages, the Python API from docstrings, the reference of dialects and passes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# site.sh [BUILD]: needs a configured build (default: build). Fails for a link or an anchor that is not there. Open
# BUILD/site/index.html; nothing on the site asks the network for anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -le 1 ] || { echo "usage: site.sh [BUILD]" >&2; exit 2; }
build=${1:-build}
[ -f "$build/build.ninja" ] || { echo "site.sh: '$build' is no configured build; expected one that tools/scripts/build.sh made" >&2; exit 2; }

venv=$build/site-venv
if ! cmp -s docs/site/requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check -r docs/site/requirements.txt
  cp docs/site/requirements.txt "$venv/requirements.txt"
fi

# The package is imported for its docstrings, without its native part.
ninja -C "$build" mlc-doc mlc_python_ops >/dev/null
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
"$venv/bin/python" docs/site/pages.py "$build" "$build/site-pages"
rm -rf "$build/site"
"$venv/bin/sphinx-build" -q -E -W --keep-going -j auto -b html -c docs/site -d "$build/site-doctrees" "$build/site-pages" "$build/site"
echo "$build/site/index.html"
