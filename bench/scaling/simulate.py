#!/usr/bin/env python3
"""What data-parallel training would gain from 1 to 4,096 workers: a simulation of synchronous updates with stragglers and
failures. The model is explained in docs/scaling.md.

    bench/scaling/simulate.py --compute 1.02 --megabytes 10 --network ethernet
    bench/scaling/simulate.py --compute 0.05 --megabytes 250 --network infiniband --per-node 8 --critical 250000
    bench/scaling/simulate.py --self-test

--compute and --megabytes are of one worker's update: bench_workers prints the first ("apart"); the second is 4 bytes a
parameter, 2 with training.gradient_compression: bf16.
"""
import argparse
import math
import random
import sys

# Latency of a message in seconds, bytes a second of a worker in one direction: nominal values, not measured here.
NETWORKS = {"loopback": (30e-6, 2e9), "ethernet": (50e-6, 1.25e9), "ethernet100": (20e-6, 12.5e9), "infiniband": (2e-6, 50e9),
            "nvlink": (3e-6, 450e9)}
BACKWARD = 2 / 3  # of the computation: the part that an exchange can hide behind


def ring(workers, megabytes, latency, bandwidth):
    """Seconds of a ring all-reduce: each worker sends 2 (N - 1) messages of a N-th of the bytes."""
    if workers == 1:
        return 0.0
    return 2 * (workers - 1) * (latency + megabytes * 1e6 / workers / bandwidth)


def tree(workers, megabytes, latency, bandwidth):
    """Seconds of two pipelined trees (Sanders et al. 2009), as NCCL has for many nodes: the latency grows with log N."""
    if workers == 1:
        return 0.0
    return 2 * math.ceil(math.log2(workers)) * latency + 2 * megabytes * 1e6 / bandwidth


def exchange(workers, options):
    """The cheaper of ring and tree between nodes, after a ring inside each node."""
    inner = min(workers, options.per_node)
    nodes = math.ceil(workers / inner)
    cost = ring(inner, options.megabytes, *NETWORKS["nvlink"]) if options.per_node > 1 else 0.0
    arguments = nodes, options.megabytes, options.latency, options.bandwidth
    return cost + (ring(*arguments) if options.ring_only else min(ring(*arguments), tree(*arguments)))


def slowest(workers, options, draw):
    """Seconds until the last of the workers has computed; their times are log-normal, on average --compute."""
    if options.jitter == 0 or workers == 1:
        return options.compute
    latest = max(draw.gauss(0, 1) for _ in range(workers))
    return options.compute * math.exp(options.jitter * latest - options.jitter**2 / 2)


def simulate(workers, options, draw):
    """Seconds a update, by cause."""
    travel = exchange(workers, options)
    exposed = max(travel - options.hidden * BACKWARD * options.compute, travel * (1 - options.hidden))
    small = options.small_sums * (ring if options.ring_only else tree)(workers, 0, options.latency, options.bandwidth)
    waits = sum(slowest(workers, options, draw) - options.compute for _ in range(options.updates)) / options.updates
    update = options.compute + waits + exposed + small
    # A failure of any worker loses what was done since the last checkpoint, and the time of a restart. Checkpoints come
    # as often as is best: Young 1974, Daly 2006.
    between = options.hours_between_failures * 3600 / workers
    interval = math.sqrt(2 * options.checkpoint * between) if options.checkpoint else update
    lost = clock = 0.0
    horizon = max(50 * between, 1000 * interval)
    while clock < horizon:
        span = draw.expovariate(1 / between)
        clock += span + options.restart
        lost += span % interval + options.restart
    share = min(0.999, lost / clock + options.checkpoint / (interval + options.checkpoint))
    return {"compute": options.compute, "waits": waits, "exchange": exposed + small, "failures": update * share / (1 - share)}


def report(options):
    draw = random.Random(options.seed)
    useful_header = " useful speed-up |" if options.critical else ""
    print(f"| workers | update, s | waits | exchange | failures | efficiency | speed-up |{useful_header} limited by |")
    print("|--:|--:|--:|--:|--:|--:|--:|" + ("--:|" if options.critical else "") + "---|")
    workers = 1
    while workers <= options.most:
        parts = simulate(workers, options, draw)
        update = sum(parts.values())
        efficiency = options.compute / update
        losses = {name: parts[name] for name in ("waits", "exchange", "failures")}
        limits = dict(losses)
        useful = ""
        if options.critical:
            # McCandlish et al. 2018: a batch of B tokens needs 1 + B / critical times the tokens of a small one.
            extra = (1 + workers * options.tokens / options.critical) / (1 + options.tokens / options.critical) - 1
            useful = f" {workers * efficiency / (1 + extra):.1f} |"
            limits["batch size"] = update * extra
        cause = max(limits, key=limits.get) if max(limits.values()) > 0.02 * update else ""
        shares = " | ".join(f"{100 * value / update:.1f} %" for value in losses.values())
        print(f"| {workers:,} | {update:.3f} | {shares} | {100 * efficiency:.0f} % | {workers * efficiency:.1f} |{useful} {cause} |")
        workers *= 2 if workers < 8 else 4 if workers < 2048 else 2


def self_test(options):
    """The simulation against what is known in closed form."""
    draw = random.Random(1)
    options.compute, options.megabytes, options.jitter, options.checkpoint, options.restart = 1.0, 100, 0, 0, 0
    options.latency, options.bandwidth, options.per_node, options.ring_only = 1e-3, 1e9, 1, True
    options.hours_between_failures, options.small_sums, options.hidden = 1e9, 0, 0
    parts = simulate(4, options, draw)
    assert abs(sum(parts.values()) - (1 + 6 * 1e-3 + 1.5 * 0.1)) < 1e-6, parts
    options.hidden = 1
    assert simulate(4, options, draw)["exchange"] == 0
    options.jitter, options.updates = 0.01, 20000
    # The greater of two normal draws is 1 / sqrt(pi) on average.
    assert abs(simulate(2, options, draw)["waits"] - 0.01 / math.sqrt(math.pi)) < 3e-4
    options.jitter, options.hours_between_failures, options.checkpoint = 0, 10, 10
    parts = simulate(1, options, draw)
    best = math.sqrt(2 * 10 / 36000)  # Young's loss at his interval
    assert abs(parts["failures"] / sum(parts.values()) - best) < 0.3 * best, parts
    assert tree(4096, 1, 1e-5, 1e9) < ring(4096, 1, 1e-5, 1e9)
    print("the simulation agrees with the closed forms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compute", type=float, default=1.02, help="seconds of a worker's update alone")
    parser.add_argument("--megabytes", type=float, default=10.4, help="of gradients")
    parser.add_argument("--network", choices=NETWORKS, default="ethernet")
    parser.add_argument("--latency", type=float, help="seconds a message, in place of the network's")
    parser.add_argument("--bandwidth", type=float, help="bytes a second, in place of the network's")
    parser.add_argument("--per-node", type=int, default=1, help="workers that NVLink connects")
    parser.add_argument("--ring-only", action="store_true", help="as Gloo, which has no trees")
    parser.add_argument("--hidden", type=float, default=0.7, help="share of the exchange that the backward pass can hide")
    parser.add_argument("--small-sums", type=int, default=3, help="sums of a few numbers in an update")
    parser.add_argument("--jitter", type=float, default=0.05, help="spread of a worker's time, as a share of it")
    parser.add_argument("--hours-between-failures", type=float, default=50000, help="of one worker")
    parser.add_argument("--checkpoint", type=float, default=2, help="seconds to save")
    parser.add_argument("--restart", type=float, default=60, help="seconds until all workers train again")
    parser.add_argument("--tokens", type=float, default=4050, help="target tokens of a worker's update")
    parser.add_argument("--critical", type=float, help="critical batch size in target tokens")
    parser.add_argument("--updates", type=int, default=100, help="simulated for the waits")
    parser.add_argument("--most", type=int, default=4096, help="workers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    latency, bandwidth = NETWORKS[options.network]
    options.latency = latency if options.latency is None else options.latency
    options.bandwidth = bandwidth if options.bandwidth is None else options.bandwidth
    if options.self_test:
        return self_test(options)
    return report(options)


if __name__ == "__main__":
    sys.exit(main())
