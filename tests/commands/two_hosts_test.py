#!/usr/bin/env python3
"""Two machines that train together, each a network namespace with an address of its own.

    tests/commands/two_hosts_test.py build/bin/nmt

Exit status 77: network namespaces are not permitted here, nothing was tested.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import workers_test

HOSTS = [f"nmt{os.getpid()}-{name}" for name in "ab"]
ADDRESSES = ["10.77.31.1", "10.77.31.2"]


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def make_hosts():
    links = [f"v{os.getpid()}{name}" for name in "ab"]
    for host in HOSTS:
        ip("netns", "add", host)
    ip("link", "add", links[0], "type", "veth", "peer", "name", links[1])
    for host, link, address in zip(HOSTS, links, ADDRESSES):
        ip("link", "set", link, "netns", host)
        ip("-n", host, "address", "add", f"{address}/24", "dev", link)
        ip("-n", host, "link", "set", link, "up")
        ip("-n", host, "link", "set", "lo", "up")


def remove_hosts():
    for host in HOSTS:
        subprocess.run(["ip", "netns", "delete", host], capture_output=True)


def start(host, rank, config, *options):
    """One worker on a machine of its own: it has no place in common with the other but the configured data."""
    variables = {"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1",
                 "MASTER_ADDR": ADDRESSES[0], "MASTER_PORT": "29500"}
    return subprocess.Popen(["ip", "netns", "exec", host, workers_test.NMT, "train", config, *options], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **variables})


def main(nmt):
    workers_test.NMT = str(pathlib.Path(nmt).resolve())
    try:
        make_hosts()
    except (OSError, subprocess.CalledProcessError) as error:
        remove_hosts()
        print(f"skipped: network namespaces are not permitted here ({error})")
        return 77
    case = workers_test.Workers()
    group = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            workers_test.FOLDER = pathlib.Path(folder)
            case.setUpClass()
            workers_test.train(workers_test.config("alone", "gru", accumulate=2))
            path = workers_test.config("together", "gru")
            group = [start(host, rank, path) for rank, host in enumerate(HOSTS)]
            for process in group:
                workers_test.finish(process)
            case.assert_equal_training("alone", "together")

            # A cable that is pulled: no connection is closed, no process has died.
            path = workers_test.config("cut", "gru", updates=workers_test.NEVER)
            group = [start(host, rank, path, "--worker-timeout", "3") for rank, host in enumerate(HOSTS)]
            workers_test.await_updates("cut", 3)
            ip("-n", HOSTS[1], "link", "set", f"v{os.getpid()}b", "down")
            case.assertRegex(workers_test.finish(group[0], check=1), r"worker 1 of 2 \(.*\) has given no sign for 3 s")
            case.assertRegex(workers_test.finish(group[1], check=1), r"worker 0 of 2 \(.*\) cannot be reached")
    finally:
        for process in group:
            process.kill()
        remove_hosts()
    print("two hosts: equal to one process; a cut cable ends both")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
