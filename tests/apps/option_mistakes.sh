#!/usr/bin/env bash
# Options in the wrong number of words, twice, or against one another, sizes that are none, files in other encodings:
# the message has our form and says what to write, and what it says is accepted.
# Usage: option_mistakes.sh BIN_FOLDER
set -uo pipefail
bin=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
export EINLOOM_CACHE=$work/cache PATH=$bin:$PATH
cd "$work" || exit 1

cat > g.json << 'EOF'
{"eingraph": 1, "params": {"eta": 0.5}, "tensors": {"A": {"shape": [4]}, "B": {"shape": [4]}},
 "nodes": [{"name": "C", "einsum": "i,i->i", "inputs": ["A", "B"], "join": "x + eta*y"}], "outputs": ["C"]}
EOF
echo '{"eingraph": 1, "tensors": {"A": {"shape": [4], "data": {"fill": 1}}},
       "nodes": [{"name": "B", "einsum": "i->i", "inputs": ["A"]}], "outputs": ["A", "B"]}' > files.json
expect 0 "" einplan files.json -n 1 -q
expect 0 "" einrun files.sched -q --out .
expect 0 "" einplan g.json -n 1 -q
run() { einrun g.sched -q "$@"; }

# Values in several words, and several in one.
expect 2 "write it in one word: --input A=A.npy" run --input A = A.npy
expect 2 "write it in one word: --input A=A.npy" run --input A A.npy
expect 2 "write --input once for each: --input B=B.npy" run --input A=A.npy B=B.npy
expect 2 "write --input once for each: --input A=A.npy --input B=B.npy" run --input A=A.npy,B=B.npy
expect 2 "found 'A.npy'; write --input A=A.npy" run --input A.npy
expect 2 "write it in one word: --input A=A.npy" run --input A= A.npy
expect 2 "found 'A='; write --input A=a.npy, without blanks" run --input A=
expect 0 "" run --input A=A.npy --input B=B.npy
expect 2 "write it in one word: --set eta=0.1" run --input A=A.npy --input B=B.npy --set eta 0.1
expect 2 "found 'eta'; write --set eta=0.1" run --input A=A.npy --input B=B.npy --set eta
expect 0 "" run --input A=A.npy --input B=B.npy --set eta=0.1
expect 2 "found '--verify 20'; write --verify=20" eintool run g.json -n 1 --verify 20
expect 0 "" eintool run files.json -n 1 --verify=20 --out out

# Given twice, against another one, with a value that it has not, without one that it has.
expect 2 "expected it once, found 2 times; leave out what is too much" einplan g.json -n 2 --ranks 4
expect 2 "expected no --resume with it, found both; leave one out" einplan g.json --resume ck -n 2
expect 2 "found 'warn'; write --check-finite alone" run --check-finite=warn
expect 2 "found --threads 2 --device cuda; that is einrun's" einplan g.json -n 2 --threads 2 --device cuda
expect 2 'did you mean "--log-level debug"?' run -v
expect 2 'did you mean "--device cuda"?' run --gpus 1
expect 2 "each rank takes a GPU: write -n 4 for four" einplan g.json -n 2 --gpus 1
expect 2 "found -N 2 --ntasks-per-node=4; that is sbatch's" einplan g.json -N 2 --ntasks-per-node=4
expect 2 "it is a tensor: write --input A=FILE" run --set A=1
expect 2 'a seed stands in the data of its tensor: change it there, "data": {"random": "uniform", "seed": 5}' \
    run --set seed=5
expect 2 '"dtype" stands in the graph: change it there, and plan again' run --set dtype=1
expect 2 "it is a param: write --set eta=NUMBER" run --input eta=A.npy
out=$(einplan g.json -n 1 --memory=-1 2>&1)
[[ "$out" != *"without a unit"* && "$out" == *"write a size of 0 or more"* ]] || fail "--memory=-1: $out"
expect 2 "--batch: expected a value behind it, found none; it is: slurm or mpirun" einplan g.json -n 2 --batch
expect 2 "found 'pbs'; write mpirun, and put the command that it prints into a script for that scheduler" \
    einplan g.json -n 2 --batch pbs
expect 2 "then sbatch --mem 4G job.sh; or --memory 4GiB, what blocks of one rank may take" einplan g.json -n 2 --mem 4G
expect 2 "; or --memory 4096MiB, what" einplan g.json -n 2 --mem-per-cpu=4096
expect 2 "expected a value behind it, found none; it is: the file to write" einplan g.json -n 2 -o
expect 2 'did you mean "--ranks"?' einplan g.json --n 4
expect 2 'did you mean "--tolerance"?' eintool diff A.npy B.npy --rtol 1e-3
expect 2 "--checkpoint DIR goes on by itself from what is there" run --resume ck

# What stands in the graph here, and what others call strategies and graphs.
expect 2 'a seed stands in the graph: "data": {"random": "uniform", "seed": 42}' run --seed 42
expect 2 'a type stands in the graph: "dtype"' einplan g.json -n 1 --dtype bf16
expect 2 'a number that changes is a param of the graph' run --lr 0.1
expect 2 'did you mean "data"?' einplan g.json -n 2 --decompose ddp
expect 2 '"mesh" and "sharding" in the graph' einplan g.json -n 2 --decompose fsdp
expect 2 'did you mean "llama"?' eintool make transformer 128
expect 2 'did you mean "ffnn-step"?' eintool make mlp
expect 2 'write -n 8, and "mesh": {"a": 2, "b": 4} in the graph' einplan g.json -n 2x4
expect 2 "write a number; --sweep 1,2,4,8 compares several" einplan g.json --ranks=auto
expect 2 "leave the option out for as many as there are cores" run --threads 0
expect 2 "write --set once for each: --set eta=1 --set mu=2" run --input A=A.npy --input B=B.npy --set eta=1,mu=2
expect 2 "write --set eta=0.5" run --input A=A.npy --input B=B.npy --set eta=0,5
expect 3 "g.sched: expected a plan, found a schedule" einplan g.json -n 1 --plan-in g.sched

# Sizes.
expect 2 "SIZES: expected sizes of 1 or more, found '0'; write a larger one" eintool make matmul 0 4 4
expect 2 "expected sizes as words, found '4,4,4'; write 4 4 4" eintool make matmul 4,4,4
expect 2 "expected sizes, found --out x.json; write -o x.json" eintool make matmul 4 4 4 --out x.json
expect 2 "found '7b'; write --size 7b" eintool make llama 7b
expect 2 "a graph has sizes and no ranks: eintool make matmul 4 4 4" eintool make matmul -n 4
expect 0 "" eintool make matmul 4 4 4 -o x.json

# Encodings.
iconv -f utf-8 -t utf-16 g.json > wide.json
expect 3 "expected UTF-8, found UTF-16, as PowerShell's > writes it; save it as UTF-8: iconv -f utf-16 -t utf-8" \
    eintool validate wide.json
expect 0 "sound" eintool validate <(iconv -f utf-16 -t utf-8 wide.json)
sed 's/"params"/"x-note": "Gr\xf6\xdfe", &/' g.json > latin.json
expect 3 "expected UTF-8, found a byte that is none; save it as UTF-8: iconv -f latin1 -t utf-8" \
    eintool validate latin.json
expect 0 "sound" eintool validate <(iconv -f latin1 -t utf-8 latin.json)

# Joins.
join() { sed "s#x + eta\*y#$1#" g.json > join.json; }
join '|x-y|'; expect 3 "write abs(x) for |x|" eintool validate join.json
join 'x += y'; expect 3 "a join is a value and assigns nothing: write x + y for x += y" eintool validate join.json
join 'log(x, 2)'; expect 3 "write log2(x), log10(x), or log(x)/log(y) for the base y" eintool validate join.json
for written in 'abs(x-y)' 'x + y' 'log2(x)' 'log10(x)' 'log(x)/log(y)'; do
    join "$written"; expect 0 "sound" eintool validate join.json
done

# What the shell has no value for is not left out in silence.
empty() { expect 2 "$1: --$2: expected $3, found ''; write it, or leave the option out" "${@:4}" "--$2" ''; }
for option in output plan-in plan-out cluster; do empty einplan "$option" FILE einplan g.json -n 1; done
for option in memory device-memory; do empty einplan "$option" SIZE einplan g.json -n 1; done
for option in report trace cluster; do empty einrun "$option" FILE run; done
for option in memory device-memory; do empty einrun "$option" SIZE run; done
for option in out checkpoint spill-dir inputs-below; do empty einrun "$option" DIR run; done
empty einplan resume DIR einplan -n 2
empty einrun input NAME=FILE run
empty eintool checkpoint DIR eintool run g.json -n 2
empty eintool out DIR eintool eval files.json

# mpirun's own children do not start it again.
expect 2 "found that mpirun started it; run it without mpirun: -n says how many ranks there are" \
    env -u SLURM_JOB_ID OMPI_COMM_WORLD_RANK=0 eintool run g.json -n 2
expect 0 "warning: mpirun started this program 2 times, which plans alone, and each writes the same file" \
    env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 einplan g.json -n 1 -q
expect 2 "and that mpirun started it 4 times; run it without mpirun: einplan g.json -n 4" \
    env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 einplan g.json
# Nor do those of srun, or of mpirun in a job; the one process of a step, and of a batch script, does.
expect 2 "found that srun started it 3 times; run it without srun: -n says how many ranks there are" \
    env SLURM_JOB_ID=1 SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 PMI_SIZE=3 eintool run g.json -n 2
expect 2 "found that mpirun started it 2 times" \
    env SLURM_JOB_ID=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 eintool run g.json -n 2
expect 0 "warning: srun started this program 3 times, which plans alone, and each writes the same file; run it without \
srun: -n says how many ranks there will be" env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 einplan g.json -n 1 -q
for one in "SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=1" "SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0" "SLURM_NTASKS=8" \
    "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0"; do
    read -ra variables <<< "$one"
    said=$(env "${variables[@]}" einplan g.json -n 1 -q 2>&1) || fail "$one: $said"
    [[ "$said" != *"started this program"* ]] || fail "$one: $said"
done

exit "$failed"
