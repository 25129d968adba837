# The part "transposing" of run.sh, which sources it: every line of transposing.txt, and their
# geometric mean and lowest.
# A share of 1 is reached by no loop that computes at R and moves bytes as a copy does. A complex multiply-add is eight
# operations. DTYPES: others than all four.
# shellcheck shell=bash disable=SC2154

part_transposing() {
    local name einsum sizes flops elements dtype layout bytes=$((256 << 20)) size times share mean least
    local dtypes=${DTYPES:-$dtypes c64 c128}
    while IFS='|' read -r name einsum sizes flops elements; do
        [[ $name != \#* ]] || continue
        for dtype in $dtypes; do
            case $dtype in f32) size=4 ;; f64 | c64) size=8 ;; *) size=16 ;; esac
            [[ $dtype = c* ]] && times=4 || times=1
            graph $dtype "$einsum" "$sizes"
            plan g 1; plan g 2
            alternate 1x2="run g 1 2" R="blas $dtype" copy="$bin/bench_peers copy $bytes 5 2" 2x1="run g 2 1"
            for layout in $layouts; do
                share=$(awk -v f="$flops" -v r="${seconds[R]}" -v b="$((elements * size))" -v c="${seconds[copy]}" \
                    -v t="${seconds[$layout]}" -v m=$((2 * bytes)) \
                    'BEGIN {x = f / (2 * 4096^3) * r; y = b / m * c; print((x > y ? x : y) / t)}')
                row "$name $einsum" $dtype $layout GFLOP/s "$(speed "$times * $flops" $layout)" \
                    "flops at R, bytes at copy" "" "$share" '>=0.50'
                echo "$dtype $layout $share" >> "$work/shares"
            done
        done
    done < scripts/bench/transposing.txt
    for dtype in $dtypes; do
        for layout in $layouts; do
            read -r mean least < <(grep "^$dtype $layout " "$work/shares" | cut -d' ' -f3 | mean_and_least)
            row "all of these, mean" $dtype $layout share "$mean" - "" "" '>=0.75'
            row "all of these, lowest" $dtype $layout share "$least" - "" "" '>=0.50'
        done
    done
}
