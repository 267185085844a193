#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often a stack of layers runs each op: the counts of each kind of layer, times the layers of that kind.

    python3 price.py deepseek dense=3 moe=58
"""
import sys

import opcat


def price(profile, stack):
    """The total of each op, of (kind, layers) pairs."""
    total = {}
    for kind, layers in stack:
        for op, count in profile.kind(kind).ops.to_dict().items():
            total[op] = total.get(op, 0) + count * layers
    return total


def read_layers(text):
    kind, _, layers = text.rpartition("=")
    if not (layers.isascii() and layers.isdigit()):
        sys.exit(f"price: KIND=LAYERS expected, as dense=3, got {text}")
    return kind, int(layers)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: price.py FAMILY KIND=LAYERS...")
    stack = [read_layers(text) for text in sys.argv[2:]]
    try:
        with opcat.Catalog() as catalog:
            total = price(catalog.load_profile(sys.argv[1]), stack)
    except opcat.OpcatError as error:
        sys.exit(f"price: {error}")
    for op, count in total.items():
        print(f"{op:<8} {count:>6}")


if __name__ == "__main__":
    main()
