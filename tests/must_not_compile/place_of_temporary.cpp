// must not compile: deleted
// each LINE: e.field=std::string(40,'x') wlfmt::at_place(std::string(40,'x')) p.text=std::string(40,'x')
// l.line_text=std::string(40,'x') f.time=std::string(40,'x')
#include <string>
#include <wlfmt/error.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/run.hpp>

void name_a_place(wlfmt::problem& e, wlfmt::piece& p, wlfmt::location& l, wlfmt::oplog::file_facts& f) {
    static_cast<void>(l), static_cast<void>(p), static_cast<void>(f);
#ifdef FIXED
    static const std::string name(40, 'x');
    e.field = name;
#else
    e.kind = wlfmt::error_kind::none;
    static_cast<void>(LINE);
#endif
}
