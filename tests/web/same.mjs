// The command compiled for WebAssembly says the same as the native one: standard output, standard error, exit status,
// and what it writes. usage: same.mjs COMMAND BUILD, in a folder that has data/ (tests/data) and runs/ (make_runs.py)
import {spawnSync} from "node:child_process";
import {existsSync, readFileSync, readdirSync, rmSync, statSync} from "node:fs";

const [command, build] = process.argv.slice(2);
const {run} = await import(`${build}/npm/wasi.mjs`);
const module = new WebAssembly.Module(readFileSync(`${build}/npm/wlfmt.wasm`));
const files_in = path =>
    statSync(path).isDirectory()
        ? readdirSync(path).flatMap(name => files_in(`${path}/${name}`))
        : [[path, new Uint8Array(readFileSync(path))]];
const files = ["data", "runs"].flatMap(files_in);

const each = [
    ["check"],
    ["check", "--strict"],
    ["summary"],
    ["summary", "--json"],
    ["summary", "--markdown"],
    ["json"],
    ["csv"],
    ["format"],
    ["timeline"],
    ["plot"],
    ["report"],
];
const folders = [
    ...readdirSync("data").map(name => `data/${name}`),
    ...readdirSync("runs").map(name => `runs/${name}`),
];
const cases = [
    ["--version"],
    ["--help"],
    ["report", "--help"],
    ["nothing"],
    ["report"],
    ["summary", "nowhere"],
    ["diff", "runs/even", "runs/slow_rank"],
    ["report", "runs/even", "runs/slow_rank"],
    ["diff", "--json", "runs/even", "runs/slow_stage"],
    ["diff", "data/workload_moe_128gpus.txt", "data/workload_dense_1024gpus.txt"],
    ["summary", "data"],
    ["summary", "runs"],
    ["diff", "data/profiler_table_moe_train_step.txt", "data/table/flops.txt"],
    ["csv", "--of=waits", "runs/slow_rank"],
    ["chakra", "-o", "traces", "runs/slow_rank"],
    ["chakra", "-o", "traces", "data/workload_moe_128gpus.txt"],
    ["summary", "--json", "-o", "traces", "runs/slow_stage"],
];
for (const path of folders) for (const args of each) cases.push([...args, path]);
for (const [path] of files) if (!path.startsWith("runs/")) cases.push(["report", path]);

const traces = () =>
    readdirSync(".")
        .filter(name => /^traces/.test(name))
        .sort();
let failed = 0;
for (const args of cases) {
    const native = spawnSync(command, args, {maxBuffer: 2 ** 30});
    const printed = [[], [], []];
    const {status, written} = run(module, args, files, (stream, bytes) => {
        printed[stream].push(Buffer.from(bytes));
    });
    const differs = (what, a, b) => {
        if (Buffer.compare(a, b) === 0) return;
        const at = a.findIndex((byte, n) => byte !== b[n]),
            part = text => JSON.stringify(text.toString("latin1", Math.max(0, at - 60), at + 60));
        console.log(`wlfmt ${args.join(" ")}: ${what} differs:\n  ${part(a)}\n  ${part(b)}`);
        ++failed;
    };
    // The script that simulates traces names the program that wrote them.
    const stdout = Buffer.from(native.stdout.toString("latin1").replaceAll(command, "wlfmt"), "latin1");
    differs("standard output", stdout, Buffer.concat(printed[1]));
    differs("standard error", native.stderr, Buffer.concat(printed[2]));
    differs("the exit status", Buffer.from(`${native.status}`), Buffer.from(`${status}`));
    differs("the list of files", Buffer.from(traces().join(" ")), Buffer.from([...written.keys()].sort().join(" ")));
    for (const name of traces()) {
        differs(name, readFileSync(name), Buffer.from(written.get(name) ?? ""));
        rmSync(name);
    }
}
// The command says itself that it gets no memory: its memory (section 5) may have 24 pages.
const wasm = readFileSync(`${build}/npm/wlfmt.wasm`);
for (let at = 8, next; at < wasm.length; at = next) {
    let size = 0, shift = 0, body = at + 1;
    for (let more = true; more; shift += 7, ++body) {
        size |= (wasm[body] & 127) << shift;
        more = wasm[body] > 127;
    }
    next = body + size;
    if (wasm[at] !== 5) continue;
    const limits = Buffer.from([5, 4, 1, 1, wasm[body + 2], 24]);
    const limited = Buffer.concat([wasm.subarray(0, at), limits, wasm.subarray(next)]);
    let messages = "";
    const {status} = run(new WebAssembly.Module(limited), ["report", "runs/slow_rank"], files, (_, bytes) => {
        messages += Buffer.from(bytes);
    });
    if (status === 2 && messages === "wlfmt: error: there is not enough memory\n") continue;
    console.log(`without memory: status ${status}, ${messages}`);
    ++failed;
}
const verdict = failed === 0 ? "the same" : `${failed} differences`;
console.log(`${cases.length} commands, native and as WebAssembly: ${verdict}`);
process.exit(failed === 0 && existsSync("data") ? 0 : 1);
