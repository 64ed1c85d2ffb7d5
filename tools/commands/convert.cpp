// json, format, from-json and set: a file in another form, or with other values.
#include "../convert.hpp"
#include "../commands.hpp"
#include "../files.hpp"
#include "../from_json.hpp"
#include "../set.hpp"

namespace tool {

exit_status run_json(const settings& given) {
    settings s = given;
    s.copies = true;
    return for_each_given(s, true, [&](input& from, report& r) {
        const wlfmt::file_format kind = format_of(from, s, r);
        if (kind != wlfmt::file_format::unknown) convert(from, kind, s, r, as_json());
    });
}

exit_status run_format(const settings& given) {
    settings s = given;
    s.copies = true;
    return for_each_given(s, false, [&](input& from, report& r) {
        const wlfmt::file_format kind = format_of(from, s, r);
        if (kind != wlfmt::file_format::unknown) convert(from, kind, s, r, in_own_format());
    });
}

exit_status run_set(const settings& s) {
    return for_each_given(s, false, [&](input& from, report& r) {
        const wlfmt::file_format kind = format_of(from, s, r);
        if (kind != wlfmt::file_format::unknown) set(from, kind, s, r);
    });
}

exit_status run_from_json([[maybe_unused]] const settings& s) {
#if defined(WLFMT_WITH_SIMDJSON)
    return for_each_given(s, false, [&](input& from, report& r) {
        const wlfmt::file_format kind = s.kind != wlfmt::file_format::unknown ? s.kind : kind_of_json(from.beginning());
        r.set_kind(kind);
        r.about(from.beginning());
        if (kind == wlfmt::file_format::unknown) return say_no_json(from.beginning(), r);
        from_json(from, kind, r);
    });
#else
    standard_error.append(
        "wlfmt: from-json is not in this build, as it needs simdjson: compile with -DWLFMT_WITH_SIMDJSON and "
        "-lsimdjson\n");
    return unusable;
#endif
}

}  // namespace tool
