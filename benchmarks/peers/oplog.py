"""Reads a rank op log as scripts do: regular expressions, and ast.literal_eval for what Python printed."""
import ast
import re
import sys
import time

RECORD = re.compile(r"rank:(\d+):(\w+)\((.*?),sub_operations=(\[.*\])\)$")
FIELD = re.compile(r"(\w+)=(\[[^\]]*\]|.*?)(?:,(?=\w+=)|$)")


def read(path):
    operations = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = RECORD.match(line)
            if match is None:
                continue
            operation = typed(match.group(3))
            operation["rank"] = int(match.group(1))
            operation["op"] = match.group(2)
            operation["sub_operations"] = [typed(text) for text in ast.literal_eval(match.group(4))]
            operations.append(operation)
    return operations


def typed(text):
    fields = dict(FIELD.findall(text))
    for key in ("stage_id", "batch_id"):
        if key in fields:
            fields[key] = None if fields[key] == "None" else int(fields[key])
    for key in ("duration", "timestamp"):
        fields[key] = None if fields[key] == "None" else float(fields[key])
    fields["input__shape"] = ast.literal_eval(fields["input__shape"])
    return fields


def main():
    start = time.perf_counter()
    operations = read(sys.argv[1])
    seconds = time.perf_counter() - start
    parts = text = integers = 0
    decimals = 0.0
    for operation in operations:
        for record in [operation] + operation["sub_operations"]:
            for key, value in record.items():
                if isinstance(value, str):
                    text += len(value)
                elif key in ("duration", "timestamp"):
                    decimals += value or 0
                elif key == "input__shape":
                    integers += sum(value or [])
                elif isinstance(value, int):
                    integers += value
        parts += len(operation["sub_operations"])
    print(len(operations), parts, text, integers, repr(decimals), seconds)


main()
