// The command wlfmt, compiled for WebAssembly, on files in memory. index.d.ts has the types, and says what they are.
import {names_of} from "./names.mjs";
import {run as run_command} from "./wasi.mjs";

async function load() {
    const url = new URL("wlfmt.wasm", import.meta.url);
    if (url.protocol === "file:") return WebAssembly.compile(await (await import("node:fs/promises")).readFile(url));
    return WebAssembly.compile(await (await fetch(url)).arrayBuffer());
}
let module = null;
const head = /^(.+?)(?::(\d+))?(?::(\d+))?: (error|warning|note): (?:([a-z_]+): )?(.*)$/;
function problems_in(messages) {
    const problems = [];
    for (const line of messages.split("\n")) {
        const found = head.exec(line);
        if (line.startsWith("  ") && problems.length !== 0) problems.at(-1).excerpt += line + "\n";
        else if (found) {
            const [, file, row = 0, column = 0, severity, kind = "", message] = found;
            problems.push({file, line: Number(row), column: Number(column), severity, kind, message, excerpt: ""});
        }
    }
    return problems;
}

export async function run(args, files = {}) {
    const encoder = new TextEncoder(), chunks = [[], [], []];
    const bytes_of = held => typeof held === "string" ? encoder.encode(held) : held;
    const pairs = Object.entries(files).map(([path, held]) => [path, bytes_of(held)]);
    const keep = (stream, bytes) => { chunks[stream].push(bytes.slice()); };
    module ??= load();
    const {status, written} = run_command(await module, args, pairs, keep);
    const bytes = new Uint8Array(await new Blob(chunks[1]).arrayBuffer()), messages = await new Blob(chunks[2]).text();
    return {
        status, bytes, messages, written: Object.fromEntries(written), problems: problems_in(messages),
        get output() { return new TextDecoder("utf-8", {ignoreBOM: true}).decode(bytes); },
    };
}

const is_one = files => typeof files === "string" || files instanceof Uint8Array;
const in_options = options => Object.entries(options).filter(([, value]) => value !== undefined && value !== false).map(
    ([name, value]) => `--${name.replace(/[A-Z]/g, c => "-" + c.toLowerCase())}${value === true ? "" : "=" + value}`);
const command = name => (files, options = {}) => {
    const named = is_one(files) ? {text: files} : files;
    return run([name, ...in_options(options), "--", ...names_of(Object.keys(named))], named);
};
export const json = command("json"), check = command("check"), summary = command("summary"), csv = command("csv"),
    report = command("report"), timeline = command("timeline"), format = command("format");

export function diff(before, after, options = {}) {
    const sides = [["a", before], ["b", after]].map(([name, files]) => is_one(files) ? {[name]: files}
        : Object.fromEntries(Object.entries(files).map(([path, held]) => [`${name}/${path}`, held])));
    const names = sides.map(side => Object.keys(side).length === 1 ? Object.keys(side) : names_of(Object.keys(side)));
    return run(["diff", ...in_options(options), "--", ...names.flat()], Object.assign({}, ...sides));
}
