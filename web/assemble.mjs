// Puts wlfmt.html together, and the package's metadata. usage: assemble.mjs ROOT FOLDER, which build.sh has filled
import {createHash} from "node:crypto";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {gzipSync} from "node:zlib";
import {run} from "./wasi.mjs";

const [root, out] = process.argv.slice(2);
const text_of = name => readFileSync(new URL(name, import.meta.url), "utf8");
const wasm = readFileSync(out + "/npm/wlfmt.wasm"), module = new WebAssembly.Module(wasm);
function output_of(args, files) {
    let printed = "";
    run(module, args, files, (_, bytes) => { printed += Buffer.from(bytes); });
    return printed;
}
const sample = name => ({[name]: readFileSync(`${root}/tests/data/${name}`, "utf8")});
const folder = name => Object.fromEntries(readdirSync(`${out}/examples/${name}`).map(
    file => [`${name}/${file}`, readFileSync(`${out}/examples/${name}/${file}`, "utf8")]));
const examples = [
    ["A run", folder("slow_rank")],
    ["Two runs", {...folder("even"), ...folder("slow_rank")}],
    ["A rank's log", sample("oplog_rank7_pipeline_last_stage.txt")],
    ["A workload", sample("workload_moe_128gpus.txt")],
    ["A profiler table", sample("profiler_table_moe_train_step.txt")],
];
// A report has the style sheet of both, and the hashes of what it allows, which the page has to allow, too: a frame
// inherits what the page around it forbids.
const [version] = output_of(["--version"], []).match(/[\d.]+/);
const files = Object.entries(examples[0][1]).map(([path, text]) => [path, Buffer.from(text)]);
const report = output_of(["report", "slow_rank"], files);
const style = report.match(/<style>(.*?)<\/style>/s)[1];
const hashes = Array.from(report.matchAll(/'sha256-[^']*'/g), found => found[0]);
const script_of = name => text_of(name).replace(/^import .*|^export /gm, "");
const packed = bytes => gzipSync(bytes, {level: 9}).toString("base64");
const parts = {
    version, style, wasm: packed(wasm), examples: packed(JSON.stringify(examples)), sheet: text_of("page.css"),
    worker: ["names.mjs", "wasi.mjs", "worker.js"].map(script_of).join(""),
    script: ["names.mjs", "page.js"].map(script_of).join(""),
};
const hash = text => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
parts.policy = [
    "default-src 'none'", "worker-src blob:", "img-src data:", "base-uri 'none'", "form-action 'none'",
    `script-src ${hash(parts.script)} ${hashes.join(" ")} 'wasm-unsafe-eval'`,
    `style-src ${hash(parts.sheet)} ${hashes.join(" ")}`,
].join("; ");
writeFileSync(out + "/wlfmt.html", text_of("page.html").replace(/@([a-z.]+)@/g, (_, name) => parts[name]));
const metadata = {...JSON.parse(text_of("npm/package.json")), version};
writeFileSync(out + "/npm/package.json", JSON.stringify(metadata, null, 2) + "\n");
