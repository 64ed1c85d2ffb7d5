// The package says what the command says, of texts by name. usage: package.mjs COMMAND, in a folder that has
// node_modules/wlfmt, data/ (tests/data) and runs/ (of make_runs.py)
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";

const command = process.argv[2],
    installed = createRequire(process.cwd() + "/").resolve("wlfmt");
const wlfmt = await import(installed);
const native = (...args) => spawnSync(command, args, {cwd: "runs", maxBuffer: 2 ** 30, encoding: "utf8"});
const run = name =>
    Object.fromEntries(
        readdirSync(`runs/${name}`).map(file => [`${name}/${file}`, readFileSync(`runs/${name}/${file}`)]),
    );
function same(result, ...args) {
    const {status, stdout, stderr} = native(...args);
    assert.deepEqual([result.status, result.output, result.messages], [status, stdout, stderr], args.join(" "));
}
for (const name of ["json", "check", "summary", "csv", "report", "timeline"])
    same(await wlfmt[name](run("slow_rank")), name, "slow_rank");
same(
    await wlfmt.summary(run("slow_rank"), {json: true, expect: 7, strict: false}),
    "summary",
    "--json",
    "--expect=7",
    "slow_rank",
);
same(
    await wlfmt.run(["diff", "--fail-above=5%", "even", "slow_rank"], {...run("even"), ...run("slow_rank")}),
    "diff",
    "--fail-above=5%",
    "even",
    "slow_rank",
);
const text = readFileSync("data/workload_moe_128gpus.txt", "utf8");
writeFileSync("runs/text", text);
same(await wlfmt.format(text), "format", "text");
writeFileSync("runs/a", text);
writeFileSync("runs/b", text.replace("175484928", "175484929"));
same(await wlfmt.diff(text, Buffer.from(text.replace("175484928", "175484929"))), "diff", "a", "b");
assert.equal((await wlfmt.diff(run("even"), run("slow_stage"), {failAbove: "5%"})).status, 3);
// Every problem with its place and its kind, for every text that is an error.
for (const line of readFileSync("data/errors.txt", "utf8").split("\n")) {
    const [, format, file, row, column, kind] = /^(\w+)\/(\S+\.txt):(\d+):(\d+): error: ([a-z_]+):/.exec(line) ?? [];
    if (!format) continue;
    const {status, problems} = await wlfmt.check(
        {[file]: readFileSync(`data/${format}/${file}`)},
        {strict: true, kind: format},
    );
    const has = problems.some(
        p => p.file === file && p.line === Number(row) && p.column === Number(column) && p.kind === kind,
    );
    assert.ok(has && status === 1, `${line}: ${JSON.stringify(problems)}`);
}
const bytes = Buffer.from("DATA\n1\nl\xe4yer -1 10 NONE 0 20 NONE 0 70 NONE 0 5\n", "latin1");
assert.ok(Buffer.from((await wlfmt.format(bytes)).bytes).includes(Buffer.from("l\xe4yer", "latin1")));
// A text in each form that it may have.
const line = "rank:0:forward_step(stage_id=0,batch_id=0,duration=1.5,timestamp=1.0,sub_operations=None)\n";
const expected = (await wlfmt.json(line)).output, encoded = new TextEncoder().encode(line);
assert.equal(JSON.parse(expected).duration, 1.5);
const wide = new Uint8Array(encoded.length + 8);
wide.set(encoded, 5);
const forms = [encoded, encoded.buffer, new DataView(wide.buffer, 5, encoded.length), Buffer.from(line), new Blob([line]),
    new Int8Array(encoded), new File([line], "log.txt")];
for (const text of forms) {
    assert.equal((await wlfmt.json(text)).output, expected);
    assert.equal((await wlfmt.json({"log.txt": text})).output, expected);
    assert.equal((await wlfmt.json(new Map([["log.txt", text]]))).output, expected);
    assert.equal((await wlfmt.diff(text, new Map([["log.txt", text]]))).status, 0);
    assert.equal((await wlfmt.run(["json", "a/b"], new Map([["a/b", text]]))).output, expected);
}
assert.equal((await wlfmt.check(new File(["rank:0:a(b"], "log.txt"))).problems[0].file, "log.txt");
// Anything else is refused by name, by every function.
const refused = async (words, act) => assert.rejects(async () => act(), {name: "TypeError", message: "wlfmt: " + words});
const by_paths = "give a text, or texts by their paths, {\"run/rank0.txt\": text}, or a Map of these";
class Run {}
for (const [files, words] of [[undefined, "undefined"], [null, "null"], [7, "a number"], [true, "a boolean"],
    [Symbol("x"), "a symbol"], [() => line, "a function"], [[line], "an Array"], [new Set([line]), "a Set"],
    [Promise.resolve(line), "a Promise"]])
    for (const name of ["json", "check", "summary", "csv", "report", "timeline", "format", "diff"])
        await refused(`the files are ${words}: ${by_paths}`, () => wlfmt[name](files, {}));
await refused(`the files are undefined: ${by_paths}`, () => wlfmt.diff(line));
for (const [text, words] of [[undefined, "undefined"], [null, "null"], [7, "a number"], [[1], "an Array"], [{}, "an Object"],
    [new Run(), "a Run"], [Promise.resolve(line), "a Promise"], [Object.create(null), "an Object"]])
    for (const files of [{"a.txt": text}, new Map([["a.txt", text]])])
        await refused(`the text of a.txt is ${words}: give a string, bytes (a Uint8Array or an ArrayBuffer) or a Blob`,
            () => wlfmt.json(files));
for (const path of ["", "/", "./"]) await refused(`the path of a file is ${path || "empty"}`, () => wlfmt.json({[path]: line}));
await refused("the path of a file is a number", () => wlfmt.json(new Map([[7, line]])));
for (const [options, words] of [[null, "null"], [7, "a number"], ["--strict", "a string"], [["--strict"], "an Array"]])
    await refused(`the options are ${words}: give an object, {strict: true, tp: 2}`, () => wlfmt.json(line, options));
for (const [value, words] of [[null, "null"], [{}, "an Object"], [["oplog"], "an Array"], [2n, "a bigint"]])
    await refused(`the option kind is ${words}: give a string, a number or a boolean`, () => wlfmt.json(line, {kind: value}));
await refused("the arguments are a string: give an array, [\"summary\", \"run\"]", () => wlfmt.run("summary run"));
await refused("an argument is a number: give strings", () => wlfmt.run(["summary", 7]));
await refused("the module is a string: give load() a WebAssembly.Module, or the bytes of wlfmt.wasm as an ArrayBuffer, a " +
    "Uint8Array, a Blob or a Response", () => wlfmt.load("wlfmt.wasm"));
// The module: its bytes have a name of their own, and it may be given in each form.
const wasm = readFileSync(createRequire(process.cwd() + "/").resolve("wlfmt/wlfmt.wasm"));
for (const source of [wasm, new Uint8Array(wasm).buffer, new Blob([wasm]), new Response(wasm), new WebAssembly.Module(wasm),
    Promise.resolve(wasm)]) {
    await wlfmt.load(source);
    assert.equal((await wlfmt.json(line)).output, expected);
}
console.log("the package says what the command says");
