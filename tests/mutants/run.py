#!/usr/bin/env python3
"""Changes one line of include/, analysis/ or tools/ at a time and sees whether the tests notice.

usage: run.py [--count=N] [--seed=N] [--only=PART] [--line=TEXT] [--jobs=N] [--list]

Takes N lines (80) of the library's headers and of the analysis and the command, spread over the files by their length,
and makes one small mistake in each: a changed comparison, a dropped statement, a number that is off by one, a swapped
member. Each mutant is built, unoptimised, with the topics of the suite and the fuzz targets that its file concerns, one
after the other, until one of them fails: the mutant is killed. Those that no test kills are listed, with the reason where equivalent.txt names one. Prints a table and
exits with 1 where a survivor has no reason. --only takes the files whose path holds PART, --line the lines that hold
TEXT. No part of the gate.
"""
import collections, os, random, re, shutil, subprocess, sys, tempfile, time, zipfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Which topics and fuzz targets see a mistake in a file, the likeliest first: the first entry that fits its path.
WATCHERS = [
    ('replay', 'replay answers summary', ''),
    ('answers/programs', 'replay answers summary', ''),
    ('answers/batches', 'replay answers summary', ''),
    ('report', 'report', ''),
    ('draw', 'plot report', 'exits'),
    ('arrow', 'arrow', 'arrow'),
    ('plot', 'plot', 'exits'),
    ('timeline', 'timeline', 'exits'),
    ('profile', 'by_name diff', 'exits'),
    ('analysis/output', 'summary timeline', 'exits'),
    ('chakra', 'chakra chakra_schedule chakra_run', 'chakra'),
    ('text_slots', 'arrow summary', ''),
    ('oplog/operations', 'answers oplog_read summary', ''),
    ('oplog/nested', 'csv arrow summary answers', ''),
    ('oplog/schema', 'oplog_read answers oplog_write', 'oplog'),
    ('messages', 'golden_errors error lint edit run_files', ''),
    ('nearest', 'golden_errors lint error', ''),
    ('oplog/stream', 'stream', 'stream'),
    ('stream', 'stream', 'stream'),
    ('pieces', 'pieces', 'pieces'),
    ('answers', 'answers summary', ''),
    ('callback', 'answers summary', ''),
    ('summary', 'summary answers', 'summary'),
    ('run.hpp', 'run_files timeline', ''),
    ('parallelism', 'parallelism lint', ''),
    ('lint', 'lint golden_errors', ''),
    ('csv', 'csv', 'exits'),
    ('diff', 'diff', 'exits'),
    ('json/read', 'from_json', 'from_json'),
    ('json/records', 'from_json', 'from_json'),
    ('json/value', 'from_json', 'from_json'),
    ('json/operation', 'from_json', 'from_json'),
    ('json/workload', 'from_json', 'from_json'),
    ('json/table', 'from_json', 'from_json'),
    ('json/texts', 'from_json', 'from_json'),
    ('types/json', 'from_json', 'from_json'),
    ('detail/oplog/write', 'oplog_write oplog_properties regressions', 'oplog_write oplog json'),
    ('detail/oplog/check', 'oplog_write regressions oplog_properties', 'oplog_write oplog'),
    ('detail/oplog', 'oplog_read oplog_dialects oplog_write oplog_properties lifetimes_oplog regressions', 'oplog oplog_write'),
    ('oplog.hpp', 'oplog_read oplog_write lifetimes_oplog oplog_dialects', 'oplog oplog_write'),
    ('detail/workload/write', 'workload_write workload_read', 'workload_write workload'),
    ('workload', 'workload_read workload_write lifetimes_workload', 'workload workload_write'),
    ('detail/table/write', 'table_write table_properties table_read', 'table_write table'),
    ('detail/table/print', 'table_write table_properties', 'table_write'),
    ('detail/table/edit', 'table_write lifetimes_table', 'table_write'),
    ('table', 'table_read table_write lifetimes_table regressions', 'table table_write'),
    ('json', 'json', 'json'),
    ('detect', 'detect oplog_dialects', 'detect'),
    ('prefix', 'oplog_dialects table_read detect', 'detect'),
    ('edit', 'edit', ''),
    ('text_file.hpp', 'file golden_errors', ''),
    ('escapes', 'oplog_read json', 'escapes json'),
    ('error', 'error golden_errors table_read', ''),
    ('characters', 'error table_read json', 'json'),
    ('number', 'numbers oplog_read json', 'numbers'),
    ('decimal', 'numbers oplog_read workload_read table_read oplog_write', 'numbers oplog table'),
    ('list', 'lifetimes_table table_read', ''),
    ('', 'oplog_read lifetimes_oplog workload_read table_read oplog_write table_write', 'oplog workload table'),
]
# Which scripts of the command's tests, or of another folder, see a mistake in one of its files.
COMMAND_WATCHERS = [
    ('run_answers', 'answers/check run'), ('run_diff', 'run compare/check'), ('table_summary', 'answers/check check'),
    ('arguments', 'arguments'), ('options', 'arguments check run'), ('commands', 'arguments check'),
    ('completion', 'arguments'), ('identity', 'safe arguments'), ('output', 'safe arguments check'), ('target', 'safe'),
    ('run', 'run check'), ('chosen', 'run'), ('folder', 'run arguments'), ('progress', 'run'), ('input', 'safe run check'),
    ('timeline', 'timeline/check safe check run'), ('plot', 'plot/check safe check run'), ('', 'check safe run arguments'),
]
FOLDERS = 'include', 'analysis', 'tools'
# What begins a branch for another compiler or machine.
OTHERS = r'NEON|_MSC_VER|_WIN32|__clang_major__|!defined\(WLFMT_BLOCK|WLFMT_NO_'
SWAPPED = [('forward', 'input_grad'), ('input_grad', 'weight_grad'), ('first', 'last'), ('begin', 'end'),
           ('front()', 'back()'), ('is_integer', 'is_decimal'), ('is_missing', 'is_none'), ('found', 'expected'),
           ('duration', 'timestamp'), ('true', 'false'), ('min', 'max')]
COMPARED = [('==', '!='), ('!=', '=='), (' < ', ' <= '), (' <= ', ' < '), (' > ', ' >= '), (' >= ', ' > '),
            ('&&', '||'), ('||', '&&')]


def mutations(line):
    """The lines that one small mistake makes of this one, with the kind of the mistake."""
    code = line.split('//')[0]
    rest = line[len(code):]
    for a, b in COMPARED:
        at = code.find(a)
        if at >= 0 and 'operator' not in code and 'template' not in code:
            yield 'comparison', code[:at] + b + code[at + len(a):] + rest
    for m in re.finditer(r'(?<=[-+] )1\b(?!\.)|(?<=[ (])(\d)\b(?![.\w\']| *\*)', code):
        if 'template' not in code and 'constexpr' not in code:
            yield 'off by one', code[:m.start()] + str(int(m.group()) + 1) + code[m.end():] + rest
    if re.match(r'\s+(?!return|using|static|const|auto|friend|case|break|continue|else|typedef|goto)[\w:>.\-\[\]+*]+(\([^;]*\)| [-+|&]?= [^;]*|\+\+|--);$', code.rstrip()):
        yield 'dropped statement', re.match(r'\s*', code).group() + ';' + rest
    if re.match(r'\s+(\+\+|--)[\w.>\-]+;$', code.rstrip()):
        yield 'dropped statement', re.match(r'\s*', code).group() + ';' + rest
    for a, b in SWAPPED:
        for x, y in ((a, b), (b, a)):
            m = re.search(r'(?<![\w"])' + re.escape(x) + r'(?![\w"])', code)
            if m and 'operator' not in code:
                yield 'swapped', code[:m.start()] + y + code[m.end():] + rest


def places(only, part):
    """Each file's lines that can be mutated, but for what this machine does not compile and for declarations."""
    found = collections.OrderedDict()
    for folder, _, names in sorted(w for f in FOLDERS for w in os.walk(os.path.join(ROOT, f))):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if not name.endswith(('.hpp', '.cpp')) or only not in path or name in ('config.hpp', 'config_end.hpp', 'version.hpp'):
                continue
            depth, skipped = 0, None
            for n, line in enumerate(open(os.path.join(ROOT, path)).read().split('\n')):
                if re.match(r'#\s*if', line):
                    depth += 1
                    if skipped is None and re.search(OTHERS, line):
                        skipped = depth
                elif re.match(r'#\s*(else|elif)', line):
                    # What follows a branch for this machine is for another machine.
                    if skipped in (None, depth):
                        skipped = depth if skipped is None or re.search(OTHERS, line) else None
                elif re.match(r'#\s*endif', line):
                    skipped = None if skipped == depth else skipped
                    depth -= 1
                elif (skipped is None and line.startswith('    ') and part in line and
                      not re.search(r'static_assert|WLFMT_(UN)?LIKELY|reserve\(|^\s*//|fetch_ahead', line)):
                    some = [m for m in mutations(line) if m[1] != line]
                    if some:
                        found.setdefault(path, []).append((n, line, some))
    return found


def choose(found, count, rng):
    """Mutants in an order of their own: `count` of each file's share first, the others as replacements."""
    total = sum(len(lines) for lines in found.values())
    first, spare = [], []
    for path, lines in found.items():
        share = max(1, round(count * len(lines) / total))
        order = rng.sample(lines, len(lines))
        for at, (n, line, some) in enumerate(order):
            (first if at < share else spare).append((path, n, line) + rng.choice(some))
    rng.shuffle(first)
    rng.shuffle(spare)
    # Each file has a share of at least one line, which is more than `count` where there are many small files.
    return first[:count], first[count:] + spare


def watchers_of(path):
    if path.startswith('tools/'):
        scripts = next(s for part, s in COMMAND_WATCHERS if part in path)
        return [('script', s) for s in scripts.split()]
    for part, topics, targets in WATCHERS:
        if part in path.split('include/wlfmt/')[-1]:
            return [('topic', t) for t in topics.split()] + [('fuzz', t) for t in targets.split()]


class Bench:
    def __init__(self, work):
        self.work = work
        self.flags = ['-std=c++17', '-O0', '-w', '-DWLFMT_WITH_SIMDJSON',
                      '-DWLFMT_TEST_DATA="%s"' % os.path.join(ROOT, 'tests', 'data')]
        self.built = {}
        # Linked after a topic, so that the topic's own copies of wlfmt's functions are the ones that count.
        self.shared = {}
        for name, source in (('main', 'tests/main.cpp'), ('allocations', 'tests/allocations.cpp'), ('replay', 'fuzz/replay.cpp')):
            self.shared[name] = os.path.join(work, name + '.o')
            self.run(['g++', *self.flags, *self.sanitized('fuzz' if name == 'replay' else 'topic'), *self.paths(ROOT), '-c',
                      os.path.join(ROOT, source), '-o', self.shared[name]], 300)

    # Reading a byte outside the text rarely changes an answer, so the seeds are in buffers of exactly their size.
    @staticmethod
    def sanitized(kind):
        return ['-fsanitize=address'] if kind == 'fuzz' else []

    def run(self, command, seconds):
        try:
            return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                  timeout=seconds, cwd=self.work).returncode
        except subprocess.TimeoutExpired:
            return 1

    @staticmethod
    def paths(root):
        return ['-I' + os.path.join(root, 'include'), '-I' + root]

    def compile(self, root, kind, source, object):
        return self.run(['g++', *self.flags, *self.sanitized(kind), *self.paths(root), '-MMD', '-c',
                         os.path.join(root, source), '-o', object], 900) == 0

    def objects(self, root, kind, part, path, folder):
        """The objects of analysis/ or tools/: those that the changed file is in are of `root`. None if it does not compile."""
        if (kind, part) not in self.built:  # without a mutant, by the first call for each kind, which is alone
            at = os.path.join(self.work, kind + '_' + part)
            os.mkdir(at)
            sources = [os.path.relpath(os.path.join(f, n), ROOT) for f, _, names in os.walk(os.path.join(ROOT, part))
                       for n in sorted(names) if n.endswith('.cpp')]
            found = self.built[kind, part] = {}
            for source in sources:
                object = os.path.join(at, source.replace('/', '_')[:-3] + 'o')
                if not self.compile(ROOT, kind, source, object):
                    sys.exit('%s does not compile' % source)
                words = open(object[:-1] + 'd').read().replace('\\\n', ' ').split()
                found[source] = object, {os.path.relpath(os.path.realpath(w), ROOT) for w in words[1:]}
        all = []
        for source, (object, files) in self.built[kind, part].items():
            if path in files:
                object = os.path.join(folder, kind + source.replace('/', '_')[:-3] + 'o')
                if not os.path.exists(object) and not self.compile(root, kind, source, object):
                    return None
            all.append(object)
        return all

    def fails(self, root, path, kind, name, folder):
        """None where it does not compile, else whether it fails. `path`: the file that differs in `root`, or None."""
        if kind == 'script':
            return self.script_fails(root, path, name, folder)
        source = os.path.join(ROOT, 'tests' if kind == 'topic' else 'fuzz', name + '.cpp')
        object, program = os.path.join(folder, 'o.o'), os.path.join(folder, 'program')
        if not self.compile(root, kind, source, object):
            return None
        analysis = self.objects(root, kind, 'analysis', path, folder) if 'analysis/' in open(object[:-1] + 'd').read() else []
        if analysis is None:
            return None
        shared = ['allocations', 'main'] if kind == 'topic' else ['replay']
        if self.run(['g++', *self.sanitized(kind), object, *analysis, *[self.shared[s] for s in shared], '-pthread', '-lsimdjson', '-o', program], 100) != 0:
            return None
        if kind == 'topic':
            return self.run([program, '--source-file=*/tests/%s.cpp' % name], 120) != 0
        seeds = os.path.join(folder, 'corpus')
        with zipfile.ZipFile(os.path.join(ROOT, 'fuzz', 'corpus', name + '_seed_corpus.zip')) as archive:
            archive.extractall(seeds)
        return self.run([program, seeds], 600) != 0

    def script_fails(self, root, path, name, folder):
        program = os.path.join(folder, 'wlfmt')
        if not os.path.exists(program):
            parts = [self.objects(root, 'script', part, path, folder) for part in ('tools', 'analysis')]
            if None in parts or self.run(['g++', *parts[0], *parts[1], '-pthread', '-lsimdjson', '-o', program], 900) != 0:
                return None
        script = os.path.join(ROOT, 'tests', name + '.sh' if '/' in name else os.path.join('command', name + '.sh'))
        return self.run(['sh', script, ROOT, program, os.path.join(folder, 'work')], 300) != 0

    def judge(self, mutant):
        path, n, line, kind, changed = mutant
        start = time.time()
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            for part in FOLDERS:
                shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part))
            target = os.path.join(folder, path)
            lines = open(target).read().split('\n')
            lines[n] = changed
            open(target, 'w').write('\n'.join(lines))
            for what, name in watchers_of(path):
                failed = self.fails(folder, path, what, name, folder)
                if failed is None:
                    return mutant, 'does not compile', time.time() - start
                if failed:
                    return mutant, 'killed by %s %s' % (what, name), time.time() - start
        return mutant, 'SURVIVED', time.time() - start


def reasons():
    """equivalent.txt: FILE <tab> LINE <tab> CHANGED LINE <tab> REASON."""
    known = {}
    path = os.path.join(HERE, 'equivalent.txt')
    for line in open(path).read().split('\n') if os.path.exists(path) else []:
        parts = line.split('\t')
        if len(parts) == 4:
            known[parts[0], parts[1], parts[2]] = parts[3]
    return known


def main():
    options = {'count': '80', 'seed': '1', 'only': '', 'line': '', 'jobs': '2', 'list': ''}
    for a in sys.argv[1:]:
        name, _, value = a.lstrip('-').partition('=')
        if name not in options:
            print(__doc__)
            return 2
        options[name] = value or 'yes'
    count = int(options['count'])
    first, spare = choose(places(options['only'], options['line']), count, random.Random(int(options['seed'])))
    if options['list']:
        for path, n, line, kind, changed in first:
            print('%s:%d\t%s\t%s\t->\t%s' % (path, n + 1, kind, line.strip(), changed.strip()))
        return 0
    known, judged, unexplained = reasons(), 0, 0
    tally = collections.Counter()
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(int(options['jobs'])) as pool:
        bench = Bench(work)
        # A program that fails by itself would kill every mutant that comes to it.
        for what, name in sorted({w for mutant in first for w in watchers_of(mutant[0])}):
            with tempfile.TemporaryDirectory(dir=work) as folder:
                if bench.fails(ROOT, None, what, name, folder) is not False:
                    print('%s %s fails without a mutant' % (what, name))
                    return 2
        queue, replacements = first[:], iter(spare)
        while queue:
            batch, queue = queue, []
            for mutant, verdict, seconds in pool.map(bench.judge, batch):
                path, n, line, kind, changed = mutant
                if verdict == 'does not compile':
                    more = next(replacements, None)
                    queue += [more] if more else []
                    continue
                reason = known.get((path, line.strip(), changed.strip()))
                if verdict == 'SURVIVED':
                    verdict = 'equivalent: ' + reason if reason else verdict
                    unexplained += not reason
                judged += 1
                tally[verdict.split()[0]] += 1
                print('%s:%d\t%s\t%s\t->\t%s\t%s\t%.0f s' % (path, n + 1, kind, line.strip(), changed.strip(), verdict, seconds), flush=True)
    print('%d mutants: %s' % (judged, ', '.join('%d %s' % (tally[k], k) for k in sorted(tally))))
    return 1 if unexplained else 0


if __name__ == '__main__':
    sys.exit(main())
