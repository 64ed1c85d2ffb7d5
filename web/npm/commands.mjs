// The command wlfmt, compiled for WebAssembly, on files in memory. index.d.ts has the types, and says what they are;
// index.mjs and node.mjs know where wlfmt.wasm is.
import {names_of} from "./names.mjs";
import {run as call_command} from "./wasi.mjs";

let module = null, loading = null, find = null;
// find(): returns what load() takes, for programs that do not call that.
export function set_default(f) { find = f; }
// What a value is, for a message: "an ArrayBuffer", "null", "a number".
function kind_of(value) {
    if (value === null || value === undefined) return String(value);
    const kind = typeof value === "object" ? value.constructor?.name || "Object" : typeof value;
    return (/^[aeiou]/i.test(kind) ? "an " : "a ") + kind;
}
const refuse = words => { throw new TypeError("wlfmt: " + words); };
const is_blob = value => typeof Blob === "function" && value instanceof Blob;
const is_shared = value => typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer;
// The bytes of a typed array or a buffer; undefined for anything else.
const held_bytes = value => ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : value instanceof ArrayBuffer || is_shared(value) ? new Uint8Array(value) : undefined;
const is_one = files => typeof files === "string" || is_blob(files) || held_bytes(files) !== undefined;

async function compiled(source) {
    if (source instanceof WebAssembly.Module) return source;
    const is_response = typeof Response === "function" && source instanceof Response;
    const bytes = is_blob(source) || is_response ? await source.arrayBuffer() : held_bytes(source);
    return WebAssembly.compile(bytes ?? refuse(`the module is ${kind_of(source)}: give load() a WebAssembly.Module, ` +
        "or the bytes of wlfmt.wasm as an ArrayBuffer, a Uint8Array, a Blob or a Response"));
}
export async function load(source) { module = await compiled(await source); }
async function load_default() {
    try { return await compiled(await find()); } catch (cause) {
        loading = null;
        throw new Error("wlfmt: wlfmt.wasm is not beside the program, or cannot be loaded: give load() its bytes, " +
            `which are in wlfmt/wlfmt.wasm (${cause.message})`, {cause});
    }
}
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
// Pairs of a path and a text. `alone` is the name of a text that comes without one, where that may be.
function pairs_of(files, alone) {
    if (alone && is_one(files)) return [[files.name || alone, files]];
    const is_map = files instanceof Map, is_plain = typeof files === "object" && files !== null && !is_one(files);
    if (!is_map && (!is_plain || Array.isArray(files) || files[Symbol.iterator] || files.then))
        refuse(`the files are ${kind_of(files)}: give ${alone ? "a text, or " : ""}texts by their paths, ` +
            "{\"run/rank0.txt\": text}, or a Map of these");
    const pairs = is_map ? [...files] : Object.entries(files);
    for (const [path, held] of pairs) {
        if (typeof path !== "string" || !path.split("/").some(part => part && part !== "."))
            refuse(`the path of a file is ${path === "" ? "empty" : typeof path === "string" ? path : kind_of(path)}`);
        if (!is_one(held))
            refuse(`the text of ${path} is ${kind_of(held)}: give a string, bytes (a Uint8Array or an ArrayBuffer) or ` +
                "a Blob");
    }
    return pairs;
}
async function call_with_pairs(args, pairs) {
    const encoder = new TextEncoder(), chunks = [[], [], []], files = [];
    for (const [path, held] of pairs)
        files.push([path, typeof held === "string" ? encoder.encode(held)
            : held_bytes(held) ?? new Uint8Array(await held.arrayBuffer())]);
    const keep = (stream, bytes) => { chunks[stream].push(bytes.slice()); };
    module ??= await (loading ??= load_default());
    let ended;
    try { ended = call_command(module, args, files, keep); } catch (cause) {
        throw new Error(`wlfmt: the command stopped, as on a text of 1 GiB or more (${cause.message})`, {cause});
    }
    const bytes = new Uint8Array(await new Blob(chunks[1]).arrayBuffer()), messages = await new Blob(chunks[2]).text();
    const {status, written} = ended;
    return {
        status, bytes, messages, written: Object.fromEntries(written), problems: problems_in(messages),
        get output() { return new TextDecoder("utf-8", {ignoreBOM: true}).decode(bytes); },
    };
}
export async function run(args, files = {}) {
    if (!Array.isArray(args)) refuse(`the arguments are ${kind_of(args)}: give an array, ["summary", "run"]`);
    for (const word of args) if (typeof word !== "string") refuse(`an argument is ${kind_of(word)}: give strings`);
    return call_with_pairs(args, pairs_of(files));
}
function in_options(options) {
    if (typeof options !== "object" || options === null || Array.isArray(options))
        refuse(`the options are ${kind_of(options)}: give an object, {strict: true, tp: 2}`);
    return Object.entries(options).filter(([, value]) => value !== undefined && value !== false).map(([name, value]) => {
        if (!["string", "number", "boolean"].includes(typeof value))
            refuse(`the option ${name} is ${kind_of(value)}: give a string, a number or a boolean`);
        return `--${name.replace(/[A-Z]/g, c => "-" + c.toLowerCase())}${value === true ? "" : "=" + value}`;
    });
}
const paths_of = pairs => pairs.map(([path]) => path);
const command = name => async (files, options = {}) => {
    const pairs = pairs_of(files, "text");
    return call_with_pairs([name, ...in_options(options), "--", ...names_of(paths_of(pairs))], pairs);
};
export const json = command("json"), check = command("check"), summary = command("summary"), csv = command("csv"),
    report = command("report"), timeline = command("timeline"), format = command("format");

export async function diff(before, after, options = {}) {
    const sides = [["a", before], ["b", after]].map(([name, files]) => is_one(files) ? [[name, files]]
        : pairs_of(files, name).map(([path, held]) => [`${name}/${path}`, held]));
    const names = sides.map(side => side.length === 1 ? paths_of(side) : names_of(paths_of(side)));
    return call_with_pairs(["diff", ...in_options(options), "--", ...names.flat()], sides.flat());
}
