export const folder_of = path => path.slice(0, Math.max(path.lastIndexOf("/"), 0));
// What a command line would name of files: those that are in no folder, and of nested folders the outermost that holds
// a file itself, as the command does not read folders in folders.
export function names_of(paths) {
    const names = new Set(paths.map(path => folder_of(path) || (path === "-" ? "./-" : path)));
    const is_inside = name => name !== "" && (names.has(name) || is_inside(folder_of(name)));
    return [...names].filter(name => !is_inside(folder_of(name))).sort();
}
