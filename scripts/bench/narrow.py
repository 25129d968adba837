"""What PyTorch takes for a product of bf16: narrow.py EINSUM SHAPE SHAPE [REPEAT] prints seconds, the median."""
import statistics
import sys
import time

import torch

torch.set_num_threads(2)
subscripts, repeat = sys.argv[1], int(sys.argv[4]) if len(sys.argv) > 4 else 3
shapes = (tuple(map(int, shape.split(","))) for shape in sys.argv[2:4])
x, y = (torch.rand(shape).mul(2).sub(1).bfloat16() for shape in shapes)
matmul = subscripts in ("ij,jk->ik", "bij,bjk->bik")
seconds = []
for _ in range(repeat + 1):
    begin = time.perf_counter()
    torch.matmul(x, y) if matmul else torch.einsum(subscripts, x, y)
    seconds.append(time.perf_counter() - begin)
print(statistics.median(seconds[1:]))
