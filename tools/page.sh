#!/bin/sh
# Builds the browser's pages into src/toile/web/page. Without Node everything else still works: says so and goes on.
# Usage: tools/page.sh [python]: one that has the package ziglang, which compiles the engine
cd "$(dirname "$0")/.." || exit 1
PYTHON=${1:-python3}

left_out() {
    echo "page: $1: pages in the browser (shop, studio, export of pages) are left out"
    exit 0
}

command -v node >/dev/null && command -v npm >/dev/null ||
    left_out "Node 20 or newer and npm are not here (Debian: apt install nodejs npm)"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || left_out "Node $(node --version) is too old, 20 is needed"
cd web || exit 1
# a lock file that did not change needs no new packages
if [ ! -e node_modules/.stamp ] || [ package-lock.json -nt node_modules/.stamp ]; then
    npm ci --silent --ignore-scripts || left_out "npm could not install its packages"
    touch node_modules/.stamp
fi
npm run --silent build -- --logLevel warn || exit 1
cd .. || exit 1
"$PYTHON" tools/build_wasm.py
