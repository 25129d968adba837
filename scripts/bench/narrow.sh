# Part `narrow` of run.sh, which sources it: products of narrow types, beside PyTorch for bf16 and beside R for others;
# elementwise nodes, reductions and row times matrix of bf16 beside a copy of the same bytes.
# shellcheck shell=bash disable=SC2154

# NAME|operations|einsum|shapes|target
narrow_bf16='matmul 4096|2*4096^3|ij,jk->ik|4096,4096 4096,4096|>=1.00
batched 64 x 256|64*2*256^3|bij,bjk->bik|64,256,256 64,256,256|>=1.00
order 4 crossed|2*24^3*32^3|acbd,cedf->afbe|24,32,24,32 32,24,32,24|>=1.00
transposing, 24 terms|2*24*84*96*96*96|dbea,ec->abcd|24,84,96,96 96,24|>=1.00'
# DTYPE|low, high|target|keys: 2048^3
narrow_others='f16|-1, 1|>=0.90|
i8|-100, 100|>=1.00|
u8|0, 200|>=1.00|
i16|-1000, 1000|>=1.00|
i32|-1000, 1000|>=0.35|
i64|-1000, 1000|-|
bool|0, 1|>=1.00|"join": "x and y", "agg": "any"'
# NAME|bytes|einsum|shapes|keys, of bf16
narrow_streams='x+y|3*2*8192^2|ij,ij->ij|8192,8192 8192,8192|"join": "x+y"
exp|2*2*8192^2|ij->ij|8192,8192|"join": "exp(x)"
sum of rows|2*8192^2|ij->i|8192,8192|
sum of columns|2*8192^2|ij->j|8192,8192|
row times matrix|2*4096*16384|i,ij->j|4096 4096,16384|'

torch_narrow() { [ "$has_torch" = yes ] && $python scripts/bench/narrow.py "$@"; }
# The graph of graph() with numbers between two bounds.
narrow_graph() {
    graph "$1" "$2" "$3" "$5"
    sed -i "s/\"low\": -1,/\"low\": ${4%,*}, \"high\": ${4#*,},/" "$work/g.json"
}
part_narrow() {
    local name flops einsum sizes target dtype bounds keys bytes layout
    while IFS='|' read -r name flops einsum sizes target; do
        narrow_graph bf16 "$einsum" "$sizes" "-1, 1" ""
        plan g 1; plan g 2
        alternate 1x2="run g 1 2" torch="torch_narrow $einsum $sizes" 2x1="run g 2 1"
        for layout in $layouts; do
            row "$name" bf16 "$layout" GFLOP/s "$(speed "$flops" "$layout")" "PyTorch 1x2" "$(speed "$flops" torch)" \
                "$(calc "${seconds[torch]} / ${seconds[$layout]}")" "$target"
        done
    done <<< "$narrow_bf16"
    while IFS='|' read -r dtype bounds target keys; do
        narrow_graph "$dtype" "ij,jk->ik" "2048,2048 2048,2048" "$bounds" "$keys"
        plan g 1; plan g 2
        alternate 1x2="run g 1 2" R="blas f32" 2x1="run g 2 1"
        for layout in $layouts; do
            row "product 2048" "$dtype" "$layout" Gop/s "$(speed "2*2048^3" "$layout")" "R of f32" \
                "$(speed "$blas_flops" R)" "$(share "2*2048^3" "$layout")" "$target"
        done
    done <<< "$narrow_others"
    while IFS='|' read -r name bytes einsum sizes keys; do
        narrow_graph bf16 "$einsum" "$sizes" "-1, 1" "$keys"
        plan g 1; plan g 2
        alternate 1x2="run g 1 2" copy="$bin/bench_peers copy $((256 << 20)) 5 2" 2x1="run g 2 1"
        for layout in $layouts; do
            row "$name" bf16 "$layout" GB/s "$(speed "$bytes" "$layout")" "copy, 2 threads" \
                "$(speed "2*2^28" copy)" "$(calc "$bytes / ${seconds[$layout]} / 2^29 * ${seconds[copy]}")" '>=0.85'
        done
    done <<< "$narrow_streams"
}
