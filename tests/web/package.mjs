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
console.log("the package says what the command says");
