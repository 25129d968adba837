"""A training step of the classifier of `eintool make ffnn-step` as PyTorch users write it: two linear layers, SGD, f32.

training.py one FEATURES BATCH REPEATS          median seconds of a step: one process, two threads
training.py ddp FEATURES BATCH REPEATS          the same in two processes of one thread (DistributedDataParallel, gloo),
                                                half of the batch each
"""
import os
import statistics
import sys
import time

import torch

HIDDEN, LABELS = 8192, 14588


def model(features):
    torch.manual_seed(1)
    layers = [torch.nn.Linear(features, HIDDEN, bias=False), torch.nn.ReLU(),
              torch.nn.Linear(HIDDEN, LABELS, bias=False)]
    return torch.nn.Sequential(*layers)


def seconds(net, features, batch, repeats, barrier=lambda: None):
    """One warm step, then the median of `repeats`; each includes the update of the weights."""
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    loss_of = torch.nn.BCEWithLogitsLoss(reduction="sum")
    x, y = torch.randn(batch, features), torch.randint(0, 2, (batch, LABELS)).float()
    times = []
    for _ in range(repeats + 1):
        barrier()
        begin = time.perf_counter()
        sgd.zero_grad(set_to_none=True)
        (loss_of(net(x), y) / batch).backward()
        sgd.step()
        barrier()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def one_of_two(rank, features, batch, repeats):
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ.get("MASTER_PORT", "29533"))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    net = torch.nn.parallel.DistributedDataParallel(model(features))
    median = seconds(net, features, batch // 2, repeats, dist.barrier)
    if rank == 0:
        print(median)
    dist.destroy_process_group()


def main(how, features, batch, repeats):
    if how == "ddp":
        return torch.multiprocessing.spawn(one_of_two, args=(features, batch, repeats), nprocs=2)
    torch.set_num_threads(2)
    print(seconds(model(features), features, batch, repeats))


if __name__ == "__main__":
    main(sys.argv[1], *(int(word) for word in sys.argv[2:5]))
