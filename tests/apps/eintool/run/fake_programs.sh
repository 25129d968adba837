# shellcheck shell=bash
# Sourced: eintool beside a fake einplan and a fake einrun, and a fake mpirun and srun on PATH, all in the folder $work.
# Each call is a line of $work/calls. What a launch does is the shell text of the file $work/launch-K (K counts launches
# from 1), else of $work/launch; it knows $K and the folder $D that --checkpoint names.
make_fakes() {
    mkdir -p "$work/bin" "$work/path"
    cp "$1/eintool" "$work/bin/"
    cat > "$work/bin/einplan" <<- 'EOF'
		#!/bin/bash
		work=$(realpath "$(dirname "$0")/..")
		echo "einplan $*" >> "$work/calls"
		[ ! -f "$work/plan" ] || . "$work/plan"
		while [ $# -gt 0 ]; do [ "$1" = -o ] && echo "fake schedule" > "$2"; shift; done
	EOF
    cat > "$work/path/mpirun" <<- 'EOF'
		#!/bin/bash
		work=$(realpath "$(dirname "$0")/..")
		case " $* " in *" true "*) . "$work/check"; exit ;; esac
		echo "$(basename "$0") $*" >> "$work/calls"
		K=$(grep -c "^$(basename "$0")" "$work/calls")
		D=$(sed -E 's/.*--checkpoint ([^ ]*).*/\1/' <<< "$*")
		if [ -f "$work/launch-$K" ]; then . "$work/launch-$K"; else . "$work/launch"; fi
	EOF
    printf '#!/bin/bash\nexit 0\n' > "$work/bin/einrun"
    cp "$work/path/mpirun" "$work/path/srun"
    chmod +x "$work"/bin/* "$work"/path/*
    echo '{}' > "$work/g.json"
    export PATH="$work/path:$PATH"
    unset SLURM_JOB_ID OMPI_MCA_orte_default_hostfile
}

# A new folder of checkpoints, no calls, and no text of launches.
afresh() {
    rm -rf "$work/D" "$work/calls" "$work/launch"* "$work/check" "$work/plan"
    : > "$work/calls"
    cd "$work" || exit 1
}

launches() { grep -cE '^(mpirun|srun)' "$work/calls"; }

# await TEXT: until a shell text is true, for 20 s at most
await() {
    for _ in $(seq 400); do eval "$1" && return 0; sleep 0.05; done
    fail "waited 20 s for: $1"
}
