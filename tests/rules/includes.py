"""A header that uses a name of the standard library includes the name's header, itself or by a header of this tree that
it includes: what one standard header includes of another differs between libraries. But for the tags of iterators, which
every header of a container or a text needs and <iterator> is large. usage: includes.py ROOT"""
import os
import re
import sys

NAMES = {
    "algorithm": "all_of any_of binary_search copy_n copy_if count count_if equal equal_range fill fill_n find find_if "
                 "find_if_not for_each generate is_sorted lexicographical_compare lower_bound max max_element merge min "
                 "min_element minmax minmax_element mismatch none_of nth_element partial_sort partition partition_point "
                 "remove_if replace reverse rotate search set_difference sort stable_partition stable_sort transform "
                 "unique upper_bound",
    "array": "array",
    "atomic": "atomic memory_order_acquire memory_order_relaxed memory_order_release",
    "charconv": "chars_format from_chars to_chars",
    "chrono": "chrono",
    "cmath": "ceil exp2 fabs floor isfinite isinf isnan ldexp llround log10 log2 lround nextafter pow round sqrt trunc",
    "condition_variable": "condition_variable",
    "csignal": "raise sig_atomic_t signal",
    "cstddef": "byte max_align_t",
    "cstdint": "int8_t int16_t int32_t int64_t intptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t",
    "cstdio": "FILE fclose ferror fflush fopen fprintf fputs fread fwrite rewind setvbuf snprintf",
    "cstdlib": "getenv",
    "cstring": "memchr memcmp memcpy memmove memset strcmp strcpy strlen",
    "deque": "deque",
    "filesystem": "filesystem",
    "format": "format formatter",
    "fstream": "ifstream ofstream",
    "functional": "function greater less less_equal",
    "initializer_list": "initializer_list",
    "iostream": "cerr cin cout",
    "iterator": "advance back_inserter distance inserter istreambuf_iterator make_move_iterator move_iterator next "
                "ostreambuf_iterator prev reverse_iterator",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr uninitialized_copy unique_ptr weak_ptr",
    "mutex": "lock_guard mutex unique_lock",
    "new": "bad_alloc set_new_handler",
    "numeric": "accumulate iota partial_sum",
    "optional": "nullopt optional",
    "queue": "priority_queue",
    "set": "multiset set",
    "sstream": "istringstream ostringstream stringstream",
    "string": "getline stod stoi string to_string",
    "string_view": "string_view",
    "system_error": "errc error_code generic_category system_error",
    "thread": "thread",
    "tuple": "forward_as_tuple make_tuple tie tuple",
    "type_traits": "conditional_t decay_t enable_if_t false_type integral_constant is_arithmetic_v is_array_v "
                   "is_base_of_v is_class_v is_constructible_v is_convertible_v is_floating_point_v is_integral_v "
                   "is_invocable_v is_lvalue_reference_v is_null_pointer_v is_pointer_v is_reference_v is_same_v "
                   "is_unsigned_v is_void_v remove_const_t remove_cv_t remove_pointer_t remove_reference_t true_type "
                   "underlying_type_t void_t",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "declval exchange forward index_sequence integer_sequence make_index_sequence make_pair move pair swap",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
QUOTED = re.compile(r'^# *include "([^"]+)"', re.M)
ANGLED = re.compile(r"^# *include <([^>]+)>", re.M)
USED = re.compile(r"\bstd::([a-z_0-9A-Z]+)")
COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')


def files(root):
    for folder in ("include", "analysis", "tools"):
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith((".hpp", ".cpp")):
                    yield os.path.normpath(os.path.join(where, name))


def main():
    root = sys.argv[1]
    texts = {}

    def text_of(path):
        if path not in texts:
            with open(path, encoding="utf-8") as file:
                texts[path] = file.read()
        return texts[path]

    reached = {}

    def reach(path):
        """The standard headers that a header includes, by headers of this tree too."""
        if path in reached:
            return reached[path]
        reached[path] = found = set()
        text = text_of(path)
        inner = [os.path.normpath(os.path.join(root if name.startswith("analysis/") else os.path.dirname(path), name))
                 for name in QUOTED.findall(text)]
        for name in ANGLED.findall(text):
            own = os.path.normpath(os.path.join(root, "include", name))
            if name.startswith("wlfmt/"):
                inner.append(own)
            else:
                found.add(name)
        for other in inner:
            if os.path.exists(other):
                found |= reach(other)
        return found

    failed = False
    for path in sorted(files(root)):
        used = set(USED.findall(COMMENT.sub(lambda m: "" if m.group()[0] == "/" else '""', text_of(path))))
        missing = {}
        for name in used:
            header = HEADER_OF.get(name)
            if header and header not in reach(path):
                missing.setdefault(header, []).append(name)
        for header in sorted(missing):
            print(f"{os.path.relpath(path, root)} uses std::{', std::'.join(sorted(missing[header]))} without <{header}>")
            failed = True
    return failed


sys.exit(main())
