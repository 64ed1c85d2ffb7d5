// Writes Trace Event JSON, whatever its events show.
#ifndef WLFMT_ANALYSIS_TIMELINE_EVENT_WRITER_HPP
#define WLFMT_ANALYSIS_TIMELINE_EVENT_WRITER_HPP

#include <limits>

#include "../draw/text.hpp"
#include "../library.hpp"
#include "../output.hpp"

namespace wlfmt::analysis {

// Viewers calculate with doubles: they add a duration to the beginning of its slice, and may count from the first
// slice. So that no such result is rounded, and slices nest and follow each other there as they do here, times are
// multiples of 1/2048 microsecond or, in a timeline of 50 days and more, of a greater power of two. A time is rounded
// up, by less than half a nanosecond in a shorter timeline: as nanoseconds, it is what it was.
class event_writer {
protected:
    using pieces = std::initializer_list<text_piece>;
    // No time is after `last`.
    event_writer(output& to, std::string_view unit, std::int64_t last) : out_(to) {
        while (bits_ != 0 && (last / 1000) >> (std::numeric_limits<double>::digits - bits_) != 0) --bits_;
        put({"{\"displayTimeUnit\":\"", unit, "\",\"traceEvents\":[\n"});
    }
    // `members` follow the members with which all events begin; each is preceded by a comma.
    void put_event(std::string_view phase, std::int64_t process, std::int64_t thread, pieces members) {
        put({any_ ? ",\n" : "", "{\"ph\":\"", phase, "\",\"pid\":", process, ",\"tid\":", thread});
        put(members);
        out_.put('}');
        any_ = true;
    }
    // Events that name and sort processes and threads have the category that Chromium gives them.
    void describe(std::string_view kind, std::int64_t process, std::int64_t thread, std::string_view argument,
                  std::string_view value) {
        put_event("M", process, thread,
                  {",\"name\":\"", kind, "\",\"args\":{\"", argument, "\":", value, "},\"cat\":\"__metadata\""});
    }
    void name(std::string_view kind, std::int64_t process, std::int64_t thread, std::string_view name) {
        describe(kind, process, thread, "name", json_text(name));
    }
    // The members with the time of a slice or of an instant. An instant is given by an end before its beginning.
    std::string times(std::int64_t begin, std::int64_t end) const {
        const std::string at = joined({",\"ts\":", time_text(begin)});
        return end < begin ? at + ",\"s\":\"t\"" : joined({at, ",\"dur\":", text_of(units(end) - units(begin))});
    }
    std::string time_text(std::int64_t ns) const { return text_of(units(ns)); }
    void finish() { out_.append("\n]}\n"); }

private:
    // A time in multiples of 1 / 2^bits_ microsecond. `last` in the constructor keeps the product in its type.
    std::int64_t units(std::int64_t ns) const noexcept { return ((ns << bits_) + 999) / 1000; }
    std::string text_of(std::int64_t units) const {
        const std::int64_t unit = std::int64_t{1} << bits_;
        std::string text = std::to_string(units / unit);
        std::int64_t rest = units % unit;
        if (rest != 0) text += '.';
        for (; rest != 0; rest %= unit) {
            rest *= 10;
            text += static_cast<char>('0' + rest / unit);
        }
        return text;
    }
    void put(pieces words) {
        for (const text_piece& word : words) out_.append(word.text());
    }
    output& out_;
    int bits_ = 11;
    bool any_ = false;
};

}  // namespace wlfmt::analysis

#endif
