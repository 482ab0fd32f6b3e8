"""Starts Patroni with the lease of its settings, even below 20 s, to which Patroni itself raises a shorter one.

A short lease finds a dead node sooner. Its price is a failover when a node only stalls for that long: with strict
synchronous commits that costs seconds, and no money.
"""
from patroni.__main__ import main
from patroni.config import Config

Config._validate_and_adjust_timeouts = lambda self, config: None

if __name__ == '__main__':
    main()
