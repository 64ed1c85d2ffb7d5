const $ = id => document.getElementById(id);
const sized = n => n < 2 ** 23 ? Math.ceil(n / 2 ** 10) + " KiB" : Math.round(n / 2 ** 20) + " MiB";
const counted = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
const too_much = "A page has at most 4 GiB of memory, which some 1.2 GiB of op logs can fill: give it fewer files, " +
    "or start the command wlfmt where they are.\n";
// What is made of the files: how it is called, the file's name, the command. Two folders are compared alone.
const outputs = [
    {label: "Report", file: "report.html", args: ["report"]},
    {label: "Summary", file: "summary.txt", args: ["summary"]},
    {label: "Summary, JSON", file: "summary.json", args: ["summary", "--json"]},
    {label: "Problems", file: "problems.txt", args: ["check"]},
    {label: "CSV", file: "records.csv", args: ["csv"]},
    {label: "Timeline for Perfetto", file: "timeline.json", args: ["timeline"]},
    {label: "Picture", file: "picture.svg", args: ["plot"]},
    {label: "Chakra traces", file: "traces.tar.gz", args: ["chakra", "-o", "traces/rank"]},
];
const differences = [
    {label: "Differences", file: "differences.txt", args: ["diff"]},
    {label: "Differences, JSON", file: "differences.json", args: ["diff", "--json"]},
];
let opened = null;   // all files that were given, and what a command line would name of them
let given = null;    // those that the report is about
let running = null;  // aborts what is being done

async function unpacked_text(id) {
    const packed = Uint8Array.from(atob($(id).textContent), c => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
const module = unpacked_text("wasm").then(bytes => WebAssembly.compile(bytes));
module.catch(e => say(`This browser is too old for this page (${e.message}).`));

function say(text) { if ($("status").textContent !== text) $("status").textContent = text; }
// What is done of all, as a bar, and in words that change a few times, as a screen reader says each.
function progress(what, done, all, shown) {
    const step = Math.max(1, Math.floor(all / 20));
    $("bar").max = all;
    $("bar").value = done;
    say(`${what}: ${shown(step * Math.floor(done / step))} of ${shown(all)}`);
}
const button = (label, onclick) =>
    Object.assign(document.createElement("button"), {type: "button", textContent: label, onclick});
function busy(is_busy) {
    $("busy").hidden = !is_busy;
    $("bar").removeAttribute("value");
    $("clock").textContent = "";
    for (const id of ["choose", "runs", "saves"]) $(id).inert = is_busy;
}
function stop() {
    running?.abort();
    running = new AbortController();
    busy(false);
}
$("cancel").onclick = () => { stop(); say("Cancelled."); $("files").focus(); };
// Executes the command in a worker of its own, which gives its memory back. Returns null if it was cancelled.
async function call_command(args, {files}) {
    const {signal} = running, compiled = await module;
    if (signal.aborted) return null;
    const url = URL.createObjectURL(new Blob([$("worker").textContent], {type: "text/javascript"}));
    const worker = new Worker(url), all = files.reduce((n, [, blob]) => n + blob.size, 0), begin = performance.now();
    const clock = setInterval(() => {
        $("clock").textContent = `${Math.round((performance.now() - begin) / 1000)} s`;
    }, 1000);
    const done = await new Promise(resolve => {
        signal.onabort = () => resolve(null);
        worker.onerror = e => resolve({status: 2, messages: e.message + "\n", printed: new Blob(), written: []});
        worker.onmessage = ({data}) => {
            if (data.printed) return resolve(data);
            if (data.read < all) return progress("Reading", data.read, all, sized);
            $("bar").removeAttribute("value");
            say(data.size === 0 ? "Working out the answers" : `Writing: ${sized(data.size)}`);
        };
        worker.postMessage({module: compiled, args, files});
    });
    clearInterval(clock);
    worker.terminate();
    URL.revokeObjectURL(url);
    if (!done) return null;
    // There is no other program here that would unpack a file; what gzip has packed is unpacked.
    done.messages = done.messages.replace(/(the file is (?:compressed|an archive):) .* \| wlfmt .* -$/gm, "$1 unpack it first");
    if (/there is not enough memory|the command stopped/.test(done.messages)) done.messages += too_much;
    return done;
}
// The options that were typed, as far as the command has them: messages name options, and no command has all of them.
const options_of = new Map();  // by command
async function with_options(args) {
    const wanted = $("options").value.match(/\S+/g) ?? [], name = option => option.split("=")[0];
    if (wanted.length === 0) return args;
    for (const command of new Set([...outputs, ...differences].map(output => output.args[0]))) {
        if (options_of.has(command)) continue;
        const help = await call_command([command, "--help"], {files: []});
        if (help === null) return null;
        options_of.set(command, new Set((await help.printed.text()).match(/(?<=^ {2})--[a-z-]+/gm)));
    }
    const unknown = wanted.find(option => ![...options_of.values()].some(names => names.has(name(option))));
    if (unknown) throw new Error(`Nothing that this page makes has the option ${unknown}: options look like --tp=2.`);
    return [...args, ...wanted.filter(option => options_of.get(args[0]).has(name(option)))];
}
// Executes the command with the options and the names of the files. Shows what it says; returns null without a result.
async function make(args) {
    stop();
    busy(true);
    say("Beginning");
    const {signal} = running;
    try {
        const all = await with_options(args), done = all && await call_command([...all, "--", ...given.names], given);
        if (done && args[0] !== "check") show_messages(done.messages);
        return done;
    } catch (e) { say(e.message); } finally { if (!signal.aborted) busy(false); }
    return null;
}
function show_messages(text) {
    const most = 300000, rest = text.length - most;
    $("told").hidden = text === "";
    const shown = text.slice(0, most) + (rest > 0 ? `\n... ${sized(rest)} more: save the problems.` : "");
    // A message is wrapped; a line of a file, which is indented, keeps its caret below it, and is scrolled to.
    const parts = shown.match(/^ {2}.*(?:\n {2}.*)*\n?|.*(?:\n(?! {2}).*)*\n?/gm) ?? [];
    $("messages").replaceChildren(...parts.map(textContent => Object.assign(document.createElement("span"),
        {textContent, className: textContent.startsWith("  ") ? "lines" : ""})));
}
// What gzip has packed is unpacked, and the files in archives, tar and zip, are taken out of them: pairs of a path and
// a Blob. Of what cannot be unpacked, the command says so. `place`: is_taken(path), is_alone, signal.
const bytes_of = async (blob, begin, end) => new Uint8Array(await blob.slice(begin, end).arrayBuffer());
const text_in = (bytes, at, size) => new TextDecoder().decode(bytes.subarray(at, at + size)).replace(/\0.*/s, "");
async function* unpacked(path, blob, place, is_inside = false) {
    const head = await bytes_of(blob, 0, 512), stem = path.replace(/\.gz$/i, "").replace(/\.tgz$/i, ".tar");
    try {
        if (head[0] === 0x1f && head[1] === 0x8b)
            yield* unpacked(place.is_taken(stem) ? path : stem, await through(blob, "gzip", place), place, is_inside);
        else if (is_inside) yield [path, blob];
        else if (text_in(head, 257, 5) === "ustar") yield* inside_of(path, tar_entries(blob), place);
        else if (text_in(head, 0, 4) === "PK\x03\x04") yield* inside_of(path, zip_entries(blob, place), place);
        else yield [path, blob];
    } catch (e) { if (e.name !== "AbortError") yield [path, blob]; }
}
const through = (blob, form, {signal}) =>
    new Response(blob.stream().pipeThrough(new DecompressionStream(form), {signal})).blob();
// The files of an archive, but for what macOS adds of its own: in the archive's own folder, or, if there is one in it,
// and nothing beside the archive, in that.
async function* inside_of(path, entries, place) {
    const files = [], stem = path.replace(/\.(tar|zip)(\.gz)?$/i, ""), folder = place.is_taken(stem) ? path : stem;
    for await (const [name, blob] of entries) {
        const parts = name.replaceAll("\\", "/").split("/").filter(part => part && part !== "." && part !== "..");
        if (parts.length === 0 || parts[0] === "__MACOSX" || /^(\._.*|\.DS_Store)$/.test(parts.at(-1))) continue;
        files.push([parts, blob]);
        if (files.length % 100 === 0) say(`Opening files: ${files.length} of ${path}`);
    }
    if (files.length === 0) throw new Error("there is no file in the archive");
    const is_flat = files.some(([parts]) => parts.length === 1);
    const is_one = !is_flat && files.every(([parts]) => parts[0] === files[0][0][0]);
    const above = !is_flat && place.is_alone ? [] : [folder];
    const named = files.map(([parts, blob]) => [[...above, ...parts.slice(is_one ? above.length : 0)].join("/"), blob]);
    const names = new Set(named.map(([name]) => name));
    const inner_place = {...place, is_taken: name => names.has(name)};
    for (const [name, blob] of named) yield* unpacked(name, blob, inner_place, true);
}
async function* tar_entries(blob) {
    let further = {};  // what an entry before says of a file: its path or size
    for (let at = 0; at + 512 <= blob.size;) {
        const head = await bytes_of(blob, at, at + 512), kind = text_in(head, 156, 1), begin = at + 512;
        if (head.every(byte => byte === 0)) return;
        const is_binary = head[124] & 128;  // of 8 GiB and more
        const size = Number(further.size ?? (is_binary ? NaN : parseInt(text_in(head, 124, 12), 8)));
        if (!(begin + size <= blob.size)) throw new Error("the archive is cut off");
        const text = async () => new TextDecoder().decode(await bytes_of(blob, begin, begin + size));
        const prefix = text_in(head, 257, 8) === "ustar" && head[263] === 0x30 ? text_in(head, 345, 155) : "";
        if (kind === "x")
            for (const [, key, value] of (await text()).matchAll(/^\d+ (path|size)=(.*)$/gm)) further[key] = value;
        else if (kind === "L") further.path = (await text()).replace(/\0.*/s, "");
        else {
            const name = further.path ?? (prefix && prefix + "/") + text_in(head, 0, 100);
            if (["", "0", "7"].includes(kind) && !name.endsWith("/")) yield [name, blob.slice(begin, begin + size)];
            further = {};
        }
        at = begin + 512 * Math.ceil(size / 512);
    }
    throw new Error("the archive is cut off");
}
// By the directory at the end of the archive.
async function* zip_entries(blob, place) {
    const reader = bytes => new DataView(bytes.buffer);
    const end = await bytes_of(blob, Math.max(0, blob.size - 65557), blob.size);
    let last = end.length - 22;
    while (reader(end).getUint32(last, true) !== 0x06054b50) --last;
    const count = reader(end).getUint16(last + 10, true);
    const [size, begin] = [12, 16].map(offset => reader(end).getUint32(last + offset, true));
    const all = await bytes_of(blob, begin, begin + size);
    for (let at = 0, n = 0; n < count; ++n) {
        const [short, long] = ["getUint16", "getUint32"].map(get => offset => reader(all)[get](at + offset, true));
        const [flags, method, packed, first] = [short(8), short(10), long(20), long(42)];
        if (long(0) !== 0x02014b50 || flags & 1 || ![0, 8].includes(method)) throw new Error("packed in another way");
        const head = reader(await bytes_of(blob, first, first + 30)), name = text_in(all, at + 46, short(28));
        const from = first + 30 + head.getUint16(26, true) + head.getUint16(28, true);
        const held = blob.slice(from, from + packed);
        if (held.size !== packed) throw new Error("the archive is cut off");
        if (!name.endsWith("/")) yield [name, method === 0 ? held : await through(held, "deflate-raw", place)];
        at += 46 + short(28) + short(30) + short(32);
    }
}
// Many files that are in no folder are as those of one, in which files of other formats are passed over.
function arranged(files) {
    const loose = files.filter(([path]) => !path.includes("/"));
    if (loose.length > 2) files = files.map(([path, blob]) => [path.includes("/") ? path : "files/" + path, blob]);
    const names = names_of(files.map(([path]) => path));
    return {files, names, folders: names.filter(name => files.some(([path]) => path.startsWith(name + "/")))};
}
async function open_files(files) {
    stop();
    let unpacked_size = 0;
    const {signal} = running, ready = [], size = files.reduce((n, [, blob]) => n + blob.size, 0);
    for (const id of ["told", "result", "runs", "report"]) $(id).hidden = true;
    if (files.length === 0) return say("There is no file in that.");
    if (size >= 2 ** 32) return say(`${counted(files.length, "file")}, ${sized(size)}: that is too much. ${too_much}`);
    busy(true);
    const taken = files.map(([path]) => path), is_alone = files.length === 1;
    const is_taken = name => taken.some(path => path === name || path.startsWith(name + "/"));
    for (const [n, [path, blob]] of files.entries()) {
        progress("Opening files", n, files.length, String);
        const inside = [];
        for await (const file of unpacked(path, blob, {is_taken, is_alone, signal})) inside.push(file);
        if (signal.aborted) return;
        for (const file of inside) ready.push(file);
        unpacked_size += inside.reduce((sum, [, held]) => sum + held.size, 0);
        if (unpacked_size >= 2 ** 32) {
            busy(false);
            return say(`${path}: unpacked, that is too much. ${too_much}`);
        }
    }
    busy(false);
    opened = arranged(ready);
    if (opened.folders.length > 2) offer_runs();
    else report(opened);
}
// More than two folders are several runs, of which one is chosen, or two to be compared.
function offer_runs() {
    for (const [id, first] of [["run", []], ["other", [""]]])
        $(id).replaceChildren(...[...first, ...opened.folders].map(name => new Option(name || "nothing", name)));
    $("runs").hidden = false;
    $("run").focus();
    say(`These are ${opened.folders.length} folders with files: choose a run, or two to compare.`);
}
$("runs").onsubmit = e => {
    e.preventDefault();
    const names = [...new Set([$("run").value, $("other").value])].filter(Boolean);
    report({files: opened.files.filter(([path]) => names.some(name => path.startsWith(name + "/"))), names});
};

async function report(what) {
    given = what;
    for (const id of ["told", "result", "report"]) $(id).hidden = true;
    const begin = performance.now(), done = await make(["report"]);
    if (!done) return;
    const size = given.files.reduce((n, [, blob]) => n + blob.size, 0);
    document.body.dataset.memory = done.memory;
    if (done.printed.size === 0) {
        const option = / (--[a-z-]+)=/.exec(done.messages)?.[1];
        return say(`There is no report of ${given.names.join(" and ")}: the messages below say why.` +
            (option ? ` ${option} is typed above, under Options.` : ""));
    }
    $("report").srcdoc = await done.printed.text();
    const is_folder = name => given.files.some(([path]) => path.startsWith(name + "/"));
    const alone = given.names.length === 2 && given.names.every(is_folder) ? [outputs[0]] : outputs;
    const offered = given.names.length === 2 ? [...alone, ...differences] : outputs;
    $("saves").replaceChildren("Save: ", ...offered.map(output => button(output.label, () => save(output))));
    $("result").hidden = $("report").hidden = false;
    $("status").scrollIntoView();
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    say(`${counted(given.files.length, "file")}, ${sized(size)}, ${seconds} s${done.status ? ", with problems" : ""}`);
}
async function save({file, args}) {
    const done = await make(args);
    if (!done) return;
    let saved = done.printed;
    if (args[0] === "report") saved = new Blob([done.printed], {type: "text/html"});
    if (args[0] === "check") saved = new Blob([done.messages, done.printed]);
    if (args[0] === "chakra" && done.written.length !== 0) {
        const script = ["traces/simulate.sh", new Uint8Array(await done.printed.arrayBuffer())];
        const packed = tar([...done.written, script]).stream().pipeThrough(new CompressionStream("gzip"));
        saved = await new Response(packed).blob();
    }
    if (saved.size === 0) return say("There is nothing to save: see the messages.");
    const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(saved), download: file});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    say(`${file}: ${sized(saved.size)}`);
}
// An archive of files, pairs of a path and a Uint8Array.
function tar(files) {
    const encoder = new TextEncoder(), parts = [];
    for (const [path, bytes] of files) {
        const head = new Uint8Array(512), octal = (n, digits) => n.toString(8).padStart(digits, "0");
        const fields = {0: path, 100: "0000644", 108: "0000000", 116: "0000000", 124: octal(bytes.length, 11),
            136: octal(0, 11), 148: "        ", 156: "0", 257: "ustar", 263: "00"};
        for (const [offset, text] of Object.entries(fields)) head.set(encoder.encode(text), offset);
        head.set(encoder.encode(octal(head.reduce((sum, byte) => sum + byte, 0), 6) + "\0"), 148);  // the sum of all
        parts.push(head, bytes, new Uint8Array(-bytes.length & 511));
    }
    return new Blob([...parts, new Uint8Array(1024)]);
}
// The files of what was dropped, with their folders: from a handle, or where the browser has none, from an entry. On a
// page that is itself a file, entries cannot be read.
async function* items_in(folder) {
    if (folder.values) return yield* folder.values();
    for (const reader = folder.createReader();;) {
        const some = await new Promise((good, bad) => reader.readEntries(good, bad));
        if (some.length === 0) return;
        yield* some;
    }
}
async function files_in(item, path = "") {
    if (item.getFile) return [[path + item.name, await item.getFile()]];
    if (item.isFile) return [[path + item.name, await new Promise((good, bad) => item.file(good, bad))]];
    const found = [];
    for await (const inside of items_in(item)) found.push(...await files_in(inside, path + item.name + "/"));
    return found;
}
const listed = list => Array.from(list, file => [file.webkitRelativePath || file.name, file]);
const open_text = text => open_files(text.trim() ? [["pasted.txt", new Blob([text])]] : []);
for (const id of ["files", "folder"])
    $(id).onchange = e => {
        if (e.target.files.length !== 0) open_files(listed(e.target.files));
        e.target.value = "";  // so that the same files can be chosen again
    };
$("choose").onsubmit = e => { e.preventDefault(); open_text($("text").value); };
// What is dragged comes from another window: the report lets it through, and is not replaced by what is dropped on it.
setInterval(() => document.body.classList.toggle("away", !document.hasFocus()), 300);
document.ondragover = e => { e.preventDefault(); document.body.classList.add("over"); };
document.ondragleave = e => { if (!e.relatedTarget) document.body.classList.remove("over"); };
document.ondrop = async e => {
    e.preventDefault();
    document.body.classList.remove("over");
    // All is taken from the event before anything is waited for.
    const items = Array.from(e.dataTransfer.items).filter(item => item.kind === "file");
    const entries = items.map(item => item.webkitGetAsEntry()), files = listed(e.dataTransfer.files);
    const handles = items.map((item, n) => item.getAsFileSystemHandle?.().catch(() => entries[n]) ?? entries[n]);
    if (items.length === 0) return open_text(e.dataTransfer.getData("text/plain"));
    if (!entries.some(entry => entry?.isDirectory)) return open_files(files);
    say("Finding files");
    try {
        const found = await Promise.all(handles.map(async handle => files_in(await handle)));
        open_files(found.flat());
    } catch (error) { say(`What was dropped cannot be read (${error.message}): choose it with the buttons.`); }
};
unpacked_text("examples_data").then(bytes => {
    for (const [label, files] of JSON.parse(new TextDecoder().decode(bytes))) {
        const blobs = Object.entries(files).map(([path, text]) => [path, new Blob([text])]);
        $("examples").append(button(label, () => open_files(blobs)));
    }
});
