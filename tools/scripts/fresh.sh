#!/usr/bin/env bash
# Runs a command of the README in a pristine Debian 12: what the machine at hand has installed by chance does not count.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/scripts/fresh.sh --setup       set-up, then CMake's configuration
#   tools/scripts/fresh.sh --demo        all of demo.sh
#   tools/scripts/fresh.sh --test        the test command (with the test data of this machine, if it has any)
#   tools/scripts/fresh.sh --pip         set-up, then `pip install .`, and what an installed package has to do
#   tools/scripts/fresh.sh --wheel       the newest wheels of dist/ for this Debian's Python, where nothing that builds is installed
#   tools/scripts/fresh.sh --examples    the same wheels, on which the scripts and the notebook of examples/python and the tutorial run
#     --python DIR   those for another Python, 3.12 or later: DIR, as in ~/.pyenv/versions/3.12.1, is copied to the root
#     --cache DIR    a compiler cache of this machine to use (ccache's; the default is none). It serves both sides where
#                    CCACHE_COMPILERCHECK is content on this one, too, as in .ci/run
#     --root DIR     where to make the root (default: a temporary directory); it is kept, and made anew by the next run
#
# The root is what `debootstrap --variant=minbase` makes, with the apt sources, keys and certificates of this machine and
# nothing else of it. But for --wheel and --examples, HEAD is cloned to the path that this clone has. Everything runs in mount and PID namespaces of its
# own: whatever ends this script, nothing stays mounted and nothing goes on running.
set -euo pipefail
cd "$(dirname "$0")/../.."

mode= cache= root= interpreter= keep=0
while [ $# -gt 0 ]; do
  case "$1" in
  --setup | --demo | --test | --pip | --wheel | --examples) mode=${1#--} ;;
  --cache | --root | --python)
    [ $# -gt 1 ] || { echo "fresh.sh: $1 needs a directory" >&2; exit 2; }
    case "$1" in
    --cache) cache=$2 ;;
    --root) root=$2 keep=1 ;;
    --python) interpreter=$(readlink -f "$2") ;;
    esac
    shift
    ;;
  *) echo "fresh.sh: unknown argument '$1'; expected --setup, --demo, --test, --pip, --wheel, --examples, --python DIR, --cache DIR or --root DIR" >&2; exit 2 ;;
  esac
  shift
done
[ -n "$mode" ] || { echo "fresh.sh: expected --setup, --demo, --test, --pip, --wheel or --examples" >&2; exit 2; }
bare=0
case $mode in wheel | examples) bare=1 ;; esac
[ -z "$interpreter" ] || [ $bare -eq 1 ] || { echo "fresh.sh: --python belongs to --wheel and --examples" >&2; exit 2; }
[ -z "$interpreter" ] || [ -x "$interpreter/bin/python3" ] || { echo "fresh.sh: $interpreter has no bin/python3" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "fresh.sh: debootstrap and mounts need root" >&2; exit 2; }

if [ -z "${MLC_FRESH_NAMESPACE:-}" ]; then
  for tool in debootstrap git; do
    command -v $tool >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends $tool >/dev/null; }
  done
  [ -n "$root" ] || root=$(mktemp -d "${TMPDIR:-/tmp}/mlc-fresh.XXXXXX")
  mkdir -p "$root"
  MLC_FRESH_NAMESPACE=1 unshare --mount --propagation private --pid --fork --kill-child \
    "$0" "--$mode" --root "$root" ${cache:+--cache "$cache"} ${interpreter:+--python "$interpreter"} </dev/null &
  namespace=$!
  # With it dies the first process of the namespace, and with that all others.
  trap 'kill -KILL $namespace; wait $namespace 2>/dev/null || true' HUP INT TERM
  status=0
  wait $namespace 2>/dev/null || status=$?
  # Mounts were the namespace's: what is left is the root's own, into which the last ones may just have written.
  [ $keep -eq 1 ] || rm -f "$root.log"
  [ $keep -eq 1 ] || for _ in 1 2 3 4 5; do rm -rf --one-file-system "$root" 2>/dev/null && break || sleep 1; done
  exit $status
fi

say() { printf 'fresh: %s (%d s)\n' "$1" $SECONDS; }

# The first source of bookworm, in either format of apt.
shopt -s nullglob
mirror=$(awk '$1 == "URIs:" { uri = $2 } $1 == "Suites:" && $2 == "bookworm" { print uri; exit }
       $1 == "deb" { for (i = 2; i < NF; ++i) if ($(i + 1) == "bookworm" && $i ~ /:\/\//) { print $i; exit } }' \
  /dev/null /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.lis[t])
[ -n "$mirror" ] || { echo "fresh.sh: /etc/apt names no source of bookworm" >&2; exit 1; }

rm -rf --one-file-system "${root:?}"/*
include=
[ $bare -eq 0 ] || include=--include=python3,python3-venv
if ! debootstrap --variant=minbase $include bookworm "$root" "$mirror" >"$root.log" 2>&1; then
  tail -20 "$root.log" >&2
  exit 1
fi
rm -f "$root.log"
for place in etc/apt/sources.list etc/apt/sources.list.d etc/apt/keyrings etc/apt/trusted.gpg.d etc/apt/auth.conf.d \
  usr/share/keyrings usr/local/share/ca-certificates etc/ssl/certs; do
  rm -rf "${root:?}/$place"
  [ -e "/$place" ] || continue
  mkdir -p "$(dirname "$root/$place")"
  cp -a "/$place" "$root/$place"
done
# Certificates of /etc/ssl/certs are links to these.
[ ! -d /usr/share/ca-certificates ] || cp -a /usr/share/ca-certificates "$root/usr/share/"
grep -hiE '^[[:space:]]*Acquire::' /etc/apt/apt.conf.d/* 2>/dev/null | grep -iE 'proxy|https' >"$root/etc/apt/apt.conf.d/90host" || true
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mountpoint -q "$root/dev/pts" || mount -t devpts devpts "$root/dev/pts"
mount --rbind /sys "$root/sys"
say "a Debian $(cat "$root/etc/debian_version") of $(ls "$root"/var/lib/dpkg/info/*.list | wc -l) packages"

here=$PWD
mkdir -p "$root$here"
if [ $bare -eq 1 ]; then
  tag=cp311-cp311 pip=(.venv/bin/pip)
  if [ -n "$interpreter" ]; then
    tag=cp312-abi3 pip=("$interpreter/bin/python3" -m pip)
    mkdir -p "$root$interpreter"
    cp -a "$interpreter/." "$root$interpreter/"
  fi
  for file in bin/cc bin/gcc bin/clang bin/ld bin/ld.lld include/stdio.h lib/llvm-22 lib/x86_64-linux-gnu/libc.so; do
    [ ! -e "$root/usr/$file" ] || { echo "fresh.sh: the root has /usr/$file" >&2; exit 1; }
  done
  mkdir -p "$root$here/dist" "$root$here/test"
  for name in mlc_estimator mlc_runtime; do
    newest=
    for wheel in dist/$name-*-$tag-*.whl; do
      [ -n "$newest" ] && [ "$newest" -nt "$wheel" ] || newest=$wheel
    done
    [ -n "$newest" ] || { echo "fresh.sh: dist has no $name-*-$tag-*.whl; tools/scripts/wheel.sh makes it" >&2; exit 1; }
    cp "$newest" "$root$here/dist/"
  done
  cp -r test/Wheel "$root$here/test/"
  needed=(numpy)
  if [ "$mode" = examples ]; then
    git -c safe.directory="$here" archive HEAD docs examples test/Python tools/scripts | tar -x -C "$root$here"
    needed+=(pandas scikit-learn pytest) # what the examples import, and what runs them
  fi
  # The index of packages may be one that this machine alone knows.
  "${pip[@]}" download -q --disable-pip-version-check --only-binary :all: -d "$root$here/dist" "${needed[@]}"
fi
[ $bare -eq 1 ] || [ -z "$(git status --porcelain)" ] || echo "fresh: what is not committed is not tried"
# The clone may belong to somebody else than root.
[ $bare -eq 1 ] || git -c safe.directory="$here" -c safe.directory="$here/.git" clone -q --no-hardlinks "$here" "$root$here"
environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}")
if [ -n "$cache" ]; then
  mkdir -p "$cache" "$root/var/cache/ccache"
  mount --bind "$cache" "$root/var/cache/ccache"
  # The root's compiler is the one of this machine if it has the same content: other times of installation say nothing.
  environment+=(CCACHE_DIR=/var/cache/ccache CCACHE_COMPILERCHECK=content)
fi
data=${MLC_TEST_DATA:-$here/../shared/data}
if [[ "$mode" =~ ^(test|examples)$ ]] && [ -d "$data" ]; then
  mkdir -p "$root/var/lib/mlc-test-data"
  mount --bind -o ro "$data" "$root/var/lib/mlc-test-data"
  environment+=(MLC_TEST_DATA=/var/lib/mlc-test-data)
fi
case $mode in
setup) command='tools/scripts/setup.sh && tools/scripts/build.sh --configure' ;;
demo) command='tools/scripts/demo.sh' ;;
test) command='tools/scripts/test.sh' ;;
pip)
  command='tools/scripts/setup.sh && python3 -m venv /opt/venv && /opt/venv/bin/pip install -q --config-settings build-dir=build . && mkdir /opt/served &&
    cd / && /opt/venv/bin/python "$OLDPWD/test/Wheel/install.py" /opt/served'
  ;;
wheel | examples)
  python=${interpreter:+$interpreter/bin/}python3
  install="-m pip install -q --disable-pip-version-check --no-index --find-links dist"
  command="$python -m venv /opt/venv && /opt/venv/bin/python $install mlc-estimator && mkdir /opt/served &&
    /opt/venv/bin/python test/Wheel/install.py /opt/served &&
    $python -m venv /opt/alone && /opt/alone/bin/python $install mlc-runtime && /opt/alone/bin/python test/Wheel/serve.py /opt/served &&
    /opt/venv/bin/python $install mlc-runtime && /opt/venv/bin/python test/Wheel/serve.py /opt/served"
  [ "$mode" = wheel ] || command="$python -m venv /opt/venv && /opt/venv/bin/python $install mlc-estimator pandas scikit-learn pytest &&
    /opt/venv/bin/python -m pytest -q -rs -p no:cacheprovider test/Python/test_examples.py test/Python/test_docs.py -k 'script or notebook or (page and tutorial)'"
  ;;
esac
status=0
env -i "${environment[@]}" chroot "$root" bash -c 'cd "$1" && eval "$2"' fresh "$here" "$command" </dev/null || status=$?
say "--$mode ended with $status"
exit $status
