// Runs the command wlfmt, compiled for WebAssembly, on files in memory: what it asks of the system (WASI, preview 1).
import {folder_of} from "./names.mjs";
// The numbers of WASI.
const BADF = 8, EXIST = 20, ISDIR = 31, NOENT = 44, NOTDIR = 54, NOTSUP = 58, SPIPE = 70;
const STREAM = 0, FOLDER = 3, REGULAR = 4;

class Exit { constructor(status) { this.status = status; } }

const clean = path => path.split("/").filter(part => part && part !== ".").join("/");
// A file that the command writes.
class Written {
    bytes = new Uint8Array(4096);
    size = 0;
    write(offset, from) {
        const end = offset + from.length, before = this.bytes;
        if (end > before.length) (this.bytes = new Uint8Array(Math.max(end, 2 * before.length))).set(before);
        this.bytes.set(from, offset);
        this.size = Math.max(this.size, end);
    }
    read(offset, length) { return this.bytes.subarray(offset, offset + length); }
}
const held = bytes => ({size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length)});
// args: those after the name of the command. files: pairs of a path ("run/rank0.txt") and what it holds: a Uint8Array,
// or {size, read(offset, length)}, which returns one. output(stream, bytes) is called with 1 or 2, for standard output
// or error; the bytes are the command's memory: what is kept of them has to be copied. read(bytes) is
// called with the number of all bytes read so far. Returns the exit status, the size of the memory, and the files that
// were written: a Map of paths to Uint8Arrays.
export function run(module, args, files, output, read = () => {}) {
    const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", {ignoreBOM: true});
    const all = new Map([["", null]]);  // null is a folder
    const put = (path, file) => {
        for (let folder = folder_of(path); !all.has(folder); folder = folder_of(folder)) all.set(folder, null);
        all.set(path, file);
    };
    for (const [path, file] of files) put(clean(path), file instanceof Uint8Array ? held(file) : file);
    const inodes = new Map(), open = [{type: STREAM}, {type: STREAM}, {type: STREAM}, {path: "", type: FOLDER}];
    let memory, bytes_read = 0;

    const view = () => new DataView(memory.buffer), bytes_at = (p, n) => new Uint8Array(memory.buffer, p, n);
    const put32 = (p, n) => { view().setUint32(p, n, true); return 0; };
    const put64 = (p, n) => { view().setBigUint64(p, BigInt(n), true); return 0; };
    const path_at = (fd, p, n) => clean(open[fd].path + "/" + decoder.decode(bytes_at(p, n)));
    const type_of = path => all.get(path) ? REGULAR : FOLDER;
    const inode_of = path => inodes.get(path) ?? (inodes.set(path, inodes.size + 1), inodes.size);
    const stat = (path, type, p) => {
        bytes_at(p, 64).fill(0);
        put64(p + 8, inode_of(path));
        view().setUint8(p + 16, type);
        put64(p + 24, 1);
        return put64(p + 32, all.get(path)?.size ?? 0);
    };
    // Calls each(bytes) for the pieces of a vector until it says that there is no more, and puts the sum of what it
    // returns: the bytes done.
    const each_piece = (p, n, sum_at, each) => {
        let sum = 0;
        for (; n !== 0; --n, p += 8) {
            const piece = bytes_at(view().getUint32(p, true), view().getUint32(p + 4, true)), done = each(piece);
            sum += done;
            if (done < piece.length) break;
        }
        return put32(sum_at, sum);
    };
    const words = ["wlfmt", ...args].map(word => encoder.encode(word + "\0"));

    const system = {
        args_sizes_get: (count, size) =>
            put32(count, words.length) || put32(size, words.reduce((sum, word) => sum + word.length, 0)),
        args_get(pointers, to) {
            for (const word of words) {
                put32(pointers, to);
                bytes_at(to, word.length).set(word);
                [pointers, to] = [pointers + 4, to + word.length];
            }
            return 0;
        },
        environ_sizes_get: (count, size) => put32(count, 0) || put32(size, 0),
        environ_get: () => 0, fd_fdstat_set_flags: () => 0,
        clock_time_get: (_, __, p) => put64(p, Math.round(performance.now() * 1e6)),
        proc_exit(status) { throw new Exit(status); },
        fd_prestat_get: (fd, p) => fd === 3 ? put32(p, 0) || put32(p + 4, 1) : BADF,
        fd_prestat_dir_name(_, p) { bytes_at(p, 1)[0] = 47; return 0; },
        fd_fdstat_get(fd, p) {
            if (!open[fd]) return BADF;
            bytes_at(p, 24).fill(0);
            view().setUint8(p, open[fd].type);
            return put64(p + 8, 0xffffffff) || put64(p + 16, 0xffffffff);
        },
        fd_filestat_get: (fd, p) => open[fd] ? stat(open[fd].path ?? "/" + fd, open[fd].type, p) : BADF,
        fd_close(fd) { if (!open[fd]) return BADF; open[fd] = null; return 0; },
        fd_seek(fd, by, from, to) {
            const at = open[fd];
            if (!at?.file) return at ? SPIPE : BADF;
            at.offset = Number(by) + [0, at.offset, at.file.size][from];
            return put64(to, at.offset);
        },
        fd_read(fd, p, n, sum_at) {
            const at = open[fd];
            if (!at?.file) return !at ? BADF : at.type === FOLDER ? ISDIR : put32(sum_at, 0);
            return each_piece(p, n, sum_at, piece => {
                const length = Math.max(0, Math.min(piece.length, at.file.size - at.offset));
                if (length !== 0) piece.set(at.file.read(at.offset, length));
                at.offset += length;
                read(bytes_read += length);
                return length;
            });
        },
        fd_write(fd, p, n, sum_at) {
            const at = open[fd];
            if (!at) return BADF;
            return each_piece(p, n, sum_at, piece => {
                if (at.file) at.file.write(at.offset, piece);
                else output(fd, piece);
                at.offset += piece.length;
                return piece.length;
            });
        },
        fd_readdir(fd, p, room, cookie, used_at) {
            const inside = path => path !== "" && folder_of(path) === open[fd].path;
            const paths = open[fd].inside ??= [...all.keys()].filter(inside);
            let used = 0;
            for (let n = Number(cookie); n < paths.length && used < room; ++n) {
                const name = encoder.encode(paths[n].slice(paths[n].lastIndexOf("/") + 1));
                const entry = new Uint8Array(24 + name.length), head = new DataView(entry.buffer);
                head.setBigUint64(0, BigInt(n + 1), true);
                head.setBigUint64(8, BigInt(inode_of(paths[n])), true);
                head.setUint32(16, name.length, true);
                head.setUint8(20, type_of(paths[n]));
                entry.set(name, 24);
                const part = entry.subarray(0, room - used);  // one that is cut is asked for again
                bytes_at(p + used, part.length).set(part);
                used += part.length;
            }
            return put32(used_at, used);
        },
        path_filestat_get(fd, _, p, n, to) {
            const path = path_at(fd, p, n);
            return all.has(path) ? stat(path, type_of(path), to) : NOENT;
        },
        path_open(fd, _, p, n, how, __, ___, ____, to) {
            const path = path_at(fd, p, n), exists = all.has(path), is_folder = exists && type_of(path) === FOLDER;
            const [creates, wants_folder, is_exclusive, truncates] = [1, 2, 4, 8].map(bit => (how & bit) !== 0);
            if (exists ? creates && is_exclusive : !creates) return exists ? EXIST : NOENT;
            if (is_folder ? creates : wants_folder) return is_folder ? ISDIR : NOTDIR;
            if (!exists || truncates) put(path, new Written());
            return put32(to, open.push({path, type: type_of(path), file: all.get(path), offset: 0}) - 1);
        },
        path_rename(fd, p, n, to_fd, q, m) {
            const from = path_at(fd, p, n), file = all.get(from);
            if (!file) return NOENT;
            all.delete(from);
            put(path_at(to_fd, q, m), file);
            return 0;
        },
        path_unlink_file(fd, p, n) {
            const path = path_at(fd, p, n);
            return all.get(path) && all.delete(path) ? 0 : NOENT;
        },
    };
    // Addresses from 2 GiB on come as negative numbers.
    const unsigned = value => typeof value === "number" ? value >>> 0 : value;
    const call = (_, name) => (...values) => system[name]?.(...values.map(unsigned)) ?? NOTSUP;
    const {exports} = new WebAssembly.Instance(module, {wasi_snapshot_preview1: new Proxy(system, {get: call})});
    memory = exports.memory;
    let status = 0;
    try { exports._start(); } catch (end) { if (end instanceof Exit) status = end.status; else throw end; }
    const written = [...all].filter(([, file]) => file instanceof Written);
    const contents = written.map(([path, file]) => [path, file.read(0, file.size)]);
    return {status, memory: memory.buffer.byteLength, written: new Map(contents)};
}
