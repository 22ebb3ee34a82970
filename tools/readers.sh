#!/bin/sh
# Installs the other programs that tests open our results with: what cannot be installed is told in one line, and
# its tests are skipped. Usage: tools/readers.sh VENV PYTHON
venv=$1
python=$2

missing() { echo "readers: $1 could not be installed: its tests will be skipped"; }

module() { # import name, requirement
    "$venv/bin/python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)" ||
        "$venv/bin/pip" install --quiet --disable-pip-version-check "$2" >/dev/null 2>&1 || missing "$2"
}

module pxr "usd-core>=25.5"
module alembic3d "alembic3d>=1.8"
module imageio_ffmpeg "imageio-ffmpeg>=0.5"
module playwright "playwright>=1.45"
module wgpu "wgpu>=0.32"

# Blender wants its own NumPy: its own environment
if ! ls .venv-bpy/lib/python*/site-packages/bpy >/dev/null 2>&1; then
    { "$python" -m venv .venv-bpy &&
        .venv-bpy/bin/pip install --quiet --disable-pip-version-check bpy; } >/dev/null 2>&1 ||
        { rm -rf .venv-bpy; missing "bpy (Blender)"; }
fi

if [ ! -d node_modules/gltf-validator ] || [ ! -d node_modules/three ]; then
    npm install --no-save --no-package-lock --silent gltf-validator three >/dev/null 2>&1 ||
        missing "gltf-validator and three (npm; Debian: apt install npm)"
fi

debian() { # package: installed where that is allowed
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get install -y -qq "$1" || { apt-get update -qq && apt-get install -y -qq "$1"; }; }
} >/dev/null 2>&1

command -v chromium >/dev/null || command -v chromium-browser >/dev/null || debian chromium ||
    missing "a browser (Debian: apt install chromium)"
ls /usr/share/vulkan/icd.d/*.json >/dev/null 2>&1 || debian mesa-vulkan-drivers ||
    missing "a driver of a graphics device in software (Debian: apt install mesa-vulkan-drivers)"
command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || debian postgresql ||
    missing "PostgreSQL (Debian: apt install postgresql)"
exit 0
