#!/usr/bin/env python3
"""Makes the tables of docs/performance.md from what run.sh measured.

usage: tables.py RESULTS COMPILER... [DOCUMENT.md]

Prints them, or puts each into the document, between `<!-- NAME -->` and `<!-- end of NAME -->`.
"""
import os, re, sys

TASKS = {
    'oplog_read': 'op log, read', 'oplog_read_durations': 'op log, durations and collectives alone',
    'workload_read': 'workload, read', 'table_read': 'table, read', 'oplog_write': 'op log, written',
    'workload_write': 'workload, written', 'table_write': 'table, written from values',
    'oplog_from_json': 'op log, read from JSON',
}


def text_of(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def table(head, lines):
    out = ['| ' + ' | '.join(head) + ' |', '|---|---|' + '---:|' * (len(head) - 2)]
    return '\n'.join(out + ['| ' + ' | '.join(line) + ' |' for line in lines]) + '\n'


def name_of(results, compiler):
    version = text_of(results, compiler + '.version')
    return ('Clang ' if 'clang' in version else 'GCC ') + re.search(r'\b(\d+)\.\d+', version).group(1)


def instructions(results, compilers):
    """Instructions a byte for each way of each task, and mispredictions for 1,000 bytes, of the first compiler."""
    found, order = {}, []
    for compiler in compilers:
        for line in text_of(results, compiler + '.instructions').split('\n')[1:]:
            match = re.match(r'(\S+) +(.*?) +(\S+)(?: +(\S+))?$', line)
            if not match:
                continue
            key = match.group(1), match.group(2)
            if key not in order:
                order.append(key)
            found[key, compiler] = match.group(3), match.group(4) or '-'
    head = ['task', 'by']
    for compiler in compilers:
        head += [name_of(results, compiler) + ' -O2'] + ['mispredictions'] * (compiler == compilers[0])
    lines = []
    for task, way in order:
        if way == 'floor' or task.startswith('file_'):
            continue
        line = [TASKS.get(task, task), way]
        for compiler in compilers:
            line += found.get(((task, way), compiler), ('-', '-'))[: 2 if compiler == compilers[0] else 1]
        lines.append(line)
    return table(head, lines)


def ranges(results, compilers):
    """The lines of all builds: (task, against): {build: (least, most)}."""
    found, builds = {}, []
    for compiler in compilers:
        build = name_of(results, compiler) + ' -O2'
        builds.append(build)
        for line in text_of(results, compiler + '.ranges').split('\n'):
            if line:
                task, against, least, most = line.split('\t')
                found.setdefault((task, against), {})[build] = least, most
    return found, builds


def shown(found):
    least, most = found
    return least if least == most else least + ' to ' + most


def times(results, compilers):
    found, builds = ranges(results, compilers)
    lines = [[task, against] + [shown(of[build]) if build in of else '-' for build in builds]
             for (task, against), of in found.items() if not task.endswith(', odd')]
    return table(['task', 'against'] + builds, lines)


def odd(results, compilers):
    """The kinds of odd values that slow reading most: the slowest three of each format."""
    found, builds = ranges(results, compilers)
    lines = []
    for format in ('op log', 'workload', 'table'):
        kinds = [(float(of[builds[0]][0]), against, of) for (task, against), of in found.items()
                 if task == format + ', odd' and builds[0] in of]
        for _, against, of in sorted(kinds, key=lambda k: k[0])[:3]:
            lines.append([format, against] + [of[build][0] if build in of else '-' for build in builds])
    return table(['format', 'odd values'] + builds, lines)


def losses(results, compilers):
    """Where a peer is as fast as wlfmt or faster."""
    found, _ = ranges(results, compilers)
    lost = []
    for (task, against), of in found.items():
        for build, (least, most) in of.items():
            if against != 'floor' and least.endswith('x') and float(least[:-1]) < 1:
                lost.append(f'- {task}, against {against}: {shown((least, most))} ({build})')
    return '\n'.join(lost or ['- No peer of the table above was faster on any of the inputs.']) + '\n'


def machine(results, compilers):
    processors = text_of(results, 'processors').strip()
    return f'{text_of(results, "processor").strip()}, {processors} processors.\n'


def main(arguments):
    results, *compilers = arguments
    document = compilers.pop() if compilers[-1].endswith('.md') else None
    parts = {make.__name__: make(results, compilers) for make in (instructions, times, odd, losses, machine)}
    if document is None:
        print('\n'.join(parts.values()))
        return 0
    text = text_of(document)
    for name, part in parts.items():
        text, count = re.subn(f'(<!-- {name} -->\n).*?(<!-- end of {name} -->)', lambda m: m[1] + part + m[2], text, flags=re.S)
        if count != 1:
            sys.exit(f'{document} has {count} places for {name}')
    with open(document, 'w') as file:
        file.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
