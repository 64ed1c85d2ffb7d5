// Executes the command once. What it prints and writes comes back as Blobs, its messages as text.
onmessage = ({data: {module, args, files}}) => {
    const reader = new FileReaderSync(), decoder = new TextDecoder(), printed = [];
    let messages = "", last = 0, bytes_read = 0, size = 0;
    const all = files.reduce((sum, [, blob]) => sum + blob.size, 0);
    const tell = is_news => {
        if (!is_news && performance.now() - last <= 100) return;
        postMessage({read: bytes_read, size});
        last = performance.now();
    };
    const read = bytes => {
        const is_end = bytes_read < all && bytes >= all;
        bytes_read = bytes;
        tell(is_end);
    };
    const opened = files.map(([path, blob]) => [path, {
        size: blob.size,
        read: (offset, length) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length))),
    }]);
    const output = (stream, bytes) => {
        if (stream === 1) {
            printed.push(bytes.slice());
            size += bytes.length;
            tell(false);
        } else messages += decoder.decode(bytes, {stream: true});
    };
    try {
        const {status, memory, written} = run(module, args, opened, output, read);
        postMessage({status, memory, messages, written: [...written], printed: new Blob(printed)});
    } catch (e) {
        // The command itself says when it gets no memory. What 32 bits cannot count, or a bug, stops it without a word.
        const why = e.name === "NotReadableError" ? "a file cannot be read, or has changed"
            : "the command stopped, as on a workload file or a table of 1 GiB or more";
        messages += `wlfmt: error: ${why} (${e.name}: ${e.message})\n`;
        postMessage({status: 2, memory: 0, messages, written: [], printed: new Blob()});
    }
};
