# Every line of standard input is valid under the schema, and the first ones of each shape are invalid once they are
# damaged, as a schema that accepts everything would show nothing. usage: check.py SCHEMA
import collections
import json
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing")
    sys.exit(77)

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


# A damaged operation could be a row of a table, whose columns have any names.
KINDS = {"op": "operation", "forward": "layer", "header": "workload_header", "columns": "table_head"}


def validator_of(line):
    """The validator of the kind of line that this is, as far as the schema has kinds."""
    kind = next((kind for member, kind in KINDS.items() if member in line and kind in schema.get("$defs", {})), None)
    return jsonschema.Draft202012Validator({**schema["$defs"][kind], "$defs": schema["$defs"]}) if kind else validator


def damaged(line):
    """The line with one member of another type, one missing, or one too many."""
    if "effect" in line:
        yield {**line, "ratio": "1"}
        yield {**line, "effect": 2}
        yield {**line, "limit": {"before": "least"}}
        for key in [key for key in line if not key.endswith(("_least", "_most"))]:
            yield {k: v for k, v in line.items() if k != key}
    elif "op" in line:
        yield {**line, "op": 7}
        yield {**line, "stage_id": {"deep": 1}}
        yield {k: v for k, v in line.items() if k not in ("rank", "stage")}
    elif "about" in line:
        yield {**line, "about": "nothing"}
        yield {**line, "more": 1}
        for key, other in {"times": 0, "at": -1, "phase": "update_grad", "change": "changed", "calls": "1", "key": 1}.items():
            if key in line:
                yield {**line, key: other}
        for key in line.keys() - {"about"}:
            yield {k: v for k, v in line.items() if k != key}
    elif "renumbered" in line:
        yield {**line, "before": {**line["before"], "layers": -1}}
        yield {**line, "ticks": {"before": 1, "after": 2}}
        yield {k: v for k, v in line.items() if k != "same"}
    elif "forward" in line:
        yield {**line, "forward": {**line["forward"], "bytes": "many"}}
        yield {**line, "bandwidth": 5}
        yield {k: v for k, v in line.items() if k != "update"}
    elif "before" in line:
        yield {**line, "before": {**line["before"], "tables": 0}}
        yield {**line, "columns": []}
    elif "calls" in line:
        yield {**line, "kind": "row"}
        yield {**line, "calls": {"before": "1"}}
        yield {k: v for k, v in line.items() if k != "name"}
    elif "tables" in line:
        yield {**line, "format": "workload"}
        yield {**line, "tables": [{}]}
        if line["tables"]:
            yield {**line, "tables": [{**line["tables"][0], "kernels": [{"rows": 1}]}]}
    elif "compute" in line:
        yield {**line, "bytes": [{"collective": "ALLREDUCE"}]}
        yield {**line, "blocks": [{"times": 2, "layers": []}]}
        yield {**line, "groups": [{"group": "tp", "ranks": 1, "groups": 1}]}
        yield {**line, "compute": {**line["compute"], "forward": "1"}}
    elif "policy" in line:
        yield {**line, "header": {**line["header"], "checkpoints": {}}}
        yield {**line, "layers": []}
    elif "columns" in line:
        yield {**line, "columns": []}
        yield {**line, "rows": 3}
    else:
        yield {**line, "Name": 3}
        yield {**line, "Self CPU": [1]}


def shape(value):
    """The members of a value with their types: what the schema can tell apart, but for the words of enumerations."""
    if isinstance(value, dict):
        return tuple(sorted((key, shape(member)) for key, member in value.items()))
    if isinstance(value, list):
        return frozenset(shape(item) for item in value)
    return type(value).__name__


damaged_of_each = 3
seen = collections.Counter()
lines = 0
failed = 0
for text in sys.stdin:
    line = json.loads(text)
    lines += 1
    for e in validator.iter_errors(line):
        failed += 1
        print(f"{text[:200]}: {e.message[:200]}")
    seen[shape(line)] += 1
    for bad in damaged(line) if seen[shape(line)] <= damaged_of_each else ():
        if validator_of(line).is_valid(bad):
            failed += 1
            print(f"valid, and should not be: {json.dumps(bad)[:200]}")
print(f"{lines} lines")
sys.exit(1 if failed or lines == 0 else 0)
