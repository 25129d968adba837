#!/usr/bin/env bash
# Installs a build into a temporary folder, then builds and runs a small project that finds Einloom there:
#   install_test.sh CMAKE BUILD_DIR CONSUMER_DIR CXX
set -euo pipefail
cmake=$1 build_dir=$2 consumer=$3 cxx=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" --install "$build_dir" --prefix "$folder/prefix" > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
"$cmake" -S "$consumer" -B "$folder/build" -G Ninja "-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_PREFIX_PATH=$folder/prefix" \
    > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
"$cmake" --build "$folder/build" > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
printed=$("$folder/build/consumer")
if [ "$printed" != "i32 with f32 is f64" ]; then
    echo "expected 'i32 with f32 is f64' from the consumer, found '$printed'"
    exit 1
fi

# The installed programs start, and say which version they are without MPI.
for program in "$folder"/prefix/bin/*; do
    [ -e "$program" ] || continue
    "$program" --version > "$folder/log" 2>&1 || { echo "$program --version failed"; cat "$folder/log"; exit 1; }
done

# The Python module finds the programs that are installed beside it.
if [ -x "$folder/prefix/bin/einrun" ] && /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
    module=$folder/prefix/lib/python3/dist-packages
    (cd "$folder" && env -u EINLOOM_BIN PYTHONDONTWRITEBYTECODE=1 "PYTHONPATH=$module" \
        /usr/bin/python3 -c 'import einloom as el; assert el.run(el.ones(3) + 1).tolist() == [2, 2, 2]')
fi

# Nothing installed points back at the sources or the build folder.
if grep -rlI -e "$build_dir" "$folder/prefix"; then
    echo "the files above mention the build folder $build_dir"
    exit 1
fi
