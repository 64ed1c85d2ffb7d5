"""Reads a workload file as Chakra's converter does: split()."""
import sys
import time


def read(path):
    with open(path, encoding="utf-8") as file:
        first = file.readline().strip().split()
        header = {"policy": first[0]}
        for position in range(1, len(first) - 1, 2):
            header[first[position].rstrip(":")] = int(first[position + 1])
        count = int(file.readline())
        layers = []
        for _ in range(count):
            field = file.readline().split()
            layers.append((field[0], int(field[1]), int(field[2]), field[3], int(field[4]), int(field[5]), field[6],
                           int(field[7]), int(field[8]), field[9], int(field[10]), int(field[11])))
    return header, layers


def main():
    start = time.perf_counter()
    header, layers = read(sys.argv[1])
    seconds = time.perf_counter() - start
    text = len(header.pop("policy"))
    integers = len(layers)
    for key, value in header.items():
        if key not in ("checkpoints", "checkpoint_initiates"):
            integers += value
    for layer in layers:
        for value in layer:
            if isinstance(value, str):
                text += len(value)
            else:
                integers += value
    print(len(layers), 0, text, integers % 2**64, 0.0, seconds)


main()
