// HTML as it grows: the shell of a report with its style sheet and its script, its sections and tables. All names from
// files are escaped.
#ifndef WLFMT_DETAIL_REPORT_PAGE_HPP
#define WLFMT_DETAIL_REPORT_PAGE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../../version.hpp"
#include "../draw/svg.hpp"
#include "../draw/text.hpp"
#include "../io/out.hpp"
#include "../json/line.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// tests/report/check.sh says what they must be.
inline constexpr std::string_view report_style_hash = "sha256-FMnXMRntWHn784jjN0cCAl3rZS8aUm35YklYSPqB8JI=";
inline constexpr std::string_view report_script_hash = "sha256-QcBSsTXLCFPYi4wp8EhptCwxJNHmtDfCDj6t0HCyFqs=";

inline constexpr std::string_view report_rules = R"css(
* { box-sizing: border-box }
html { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, Arial, sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%; print-color-adjust: exact;
  -webkit-print-color-adjust: exact }
body { margin: 0 }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px }
a { color: inherit; text-decoration-color: var(--work); text-underline-offset: 3px }
h1 { font-size: 26px; line-height: 1.2; margin: 4px 0 16px; font-weight: 650; text-wrap: balance;
  overflow-wrap: anywhere }
h2 { font-size: 19px; line-height: 1.3; margin: 0 0 2px; font-weight: 650; text-wrap: balance;
  overflow-wrap: anywhere }
h3 { font-size: 13px; margin: 20px 0 4px; font-weight: 650 }
section { margin-top: 48px }
.source, .how, .note, footer, small, .legend, caption, th { color: var(--quiet); font-size: 13px }
.source, .how, .note { overflow-wrap: anywhere; max-width: 110ch; margin: 0 0 12px }
.note { margin: 10px 0 0 }
footer { margin-top: 48px; border-top: 1px solid var(--rule); padding-top: 12px; overflow-wrap: anywhere }
.verdict { margin: 0 0 20px; padding: 0 0 0 20px; max-width: 840px; font-size: 16px }
.verdict li { margin: 0 0 6px; padding-left: 4px; overflow-wrap: anywhere }
svg { display: block; width: 100%; overflow: hidden }
.hatch { position: absolute }
.bare { fill: var(--lane) }
.stripe { fill: var(--unknown) }
.outline { fill: none; stroke: var(--quiet); stroke-width: 3 }
svg text { fill: var(--quiet); font-size: 12px }
svg .on { fill: var(--ink); font-size: 11px }
.grid, .line { stroke: var(--rule); vector-effect: non-scaling-stroke }
.line { stroke: var(--quiet) }
.legend { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 8px 0; padding: 0; list-style: none }
.legend b { color: var(--ink) }
.key { display: inline-block; width: 10px; height: 10px; margin-right: 5px; vertical-align: -1px }
.scroll { overflow-x: auto; max-width: 100% }
table { border-collapse: collapse; font-size: 13px }
.wide { width: 100% }
caption { text-align: left; padding: 0 0 4px }
th { font-weight: 500; vertical-align: bottom; text-align: left }
tbody th { color: var(--ink); font-weight: 400 }
th, td { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--rule); vertical-align: top }
td { overflow-wrap: anywhere }
td:not(.n) { min-width: 6em }
td.words { min-width: 16em }
h1, h2, .source b, .words, #tip { unicode-bidi: isolate-override }
td:empty { min-width: 0 }
tbody th, tfoot th { white-space: nowrap }
th small { white-space: normal }
.n { text-align: right; padding: 4px 0 4px 10px; white-space: nowrap }
thead .n { white-space: normal }
.n + :not(.n) { padding-left: 20px }
.bar { width: 40%; min-width: 90px; padding-top: 5px }
.strong td, .strong th, tfoot td, tfoot th, .strong { font-weight: 650; color: var(--ink) }
.alarm { color: var(--alarm); font-weight: 650 }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: inherit }
th button:focus-visible, .lane:focus-visible, summary:focus-visible { outline: 2px solid var(--work) }
.row { display: grid; grid-template-columns: 128px 1fr; align-items: center; font-size: 12px; color: var(--quiet) }
.row > span { overflow-wrap: anywhere; padding-right: 8px }
.row.strong { color: var(--ink) }
.lane .time { height: 16px; margin: 1px 0; background: var(--lane) }
.steps .time { background: none }
.lane > div { position: relative; overflow: hidden }
.texts { position: absolute; top: 1px; height: 16px }
.lane.late { outline: 1.5px solid var(--ink) }
.time path { fill: none; stroke-width: 10 }
.time .step { stroke: var(--rule) }
.time .back { stroke: var(--quiet); stroke-opacity: .5 }
.blocks { display: flex; flex-wrap: wrap; gap: 20px 40px; align-items: flex-start }
.matrix th, .matrix td { padding: 3px 6px; border: 1px solid var(--ground); min-width: 36px; text-align: right }
.matrix .self { background: var(--lane) }
details > summary { cursor: pointer; color: var(--quiet); font-size: 13px; margin: 8px 0 }
.facts { font-size: 14px; width: 100% }
.facts th { width: 170px; color: var(--quiet); font-size: 14px }
.passed th::before { content: "\2713  "; color: var(--work) }
.limits th::before { content: "!  "; color: var(--alarm); font-weight: 700 }
.facts .limits th { color: var(--ink); font-weight: 650 }
picture img { display: block; width: 100%; image-rendering: pixelated }
#tip { position: fixed; z-index: 9; background: var(--ink); color: var(--ground); font-size: 12.5px; line-height: 1.4;
  padding: 7px 10px; border-radius: 4px; pointer-events: none; max-width: 320px; white-space: pre-line }
.scripted { display: none }
.has-script .scripted { display: inline }
@media (max-width: 700px) {
  main { padding: 20px 16px 40px }
  h1 { font-size: 22px }
  .verdict { font-size: 15px }
  section { margin-top: 36px }
  .row { grid-template-columns: 64px 1fr }
  .facts th, .facts td { display: block; width: auto; padding: 4px 0 }
  .facts th { border: 0; padding-bottom: 0; white-space: normal }
  .account .n:not(.first), .secondary, .narrow { display: none }
  td.words { min-width: 10em }
  .bar { width: 20%; min-width: 60px }
  .matrix th, .matrix td { padding: 3px; min-width: 28px; font-size: 11px }
}
@media print {
  @page { size: A4; margin: 14mm }
  html { font-size: 11px }
  main { max-width: none; padding: 0 }
  section { margin-top: 22px }
  tr, .row, .matrix { break-inside: avoid }
  h2, h3, .how, .legend { break-after: avoid }
  .scroll { overflow: visible }
  .scripted, .has-script .scripted, #tip { display: none }
}
)css";

inline constexpr std::string_view report_script = R"js(
'use strict';
(() => {
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  document.documentElement.classList.add('has-script');
  for (const table of all('table.sortable'))
    all('thead th', table).forEach((head, column) => {
      const button = document.createElement('button');
      button.append(...head.childNodes);
      head.append(button);
      const key = row => {
        const cell = row.cells[column], value = cell.dataset.v;
        return value === undefined ? cell.textContent : Number(value);
      };
      button.onclick = () => {
        const down = head.getAttribute('aria-sort') !== 'descending', body = table.tBodies[0];
        all('thead th', table).forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const before = (x, y) => x < y ? -1 : x > y ? 1 : 0;
        body.append(...Array.from(body.rows).sort((x, y) => before(key(x), key(y)) * (down ? -1 : 1)));
      };
    });
  const source = document.getElementById('steps'), lanes = document.getElementById('time-lanes');
  if (!source || !lanes) return;
  const steps = JSON.parse(source.textContent), tip = document.getElementById('tip');
  const drawn = all('.time', lanes), end = Number(lanes.dataset.end), unit = 100;
  let from = 0, until = end, pressed = null;
  const slices = new Map();
  const slicesOf = lane => {
    if (slices.has(lane)) return slices.get(lane);
    const lists = {};
    for (const path of all('.time path', lane)) {
      let x = 0;
      const dashes = path.getAttribute('stroke-dasharray');
      const parts = (dashes || path.getAttribute('d')).matchAll(dashes ? / (\d+) (\d+)/g : /m(\d+) 0h(\d+)/g);
      lists[path.classList[0]] = Array.from(parts, part => {
        const slice = { begin: x += Number(part[1]), size: Number(part[2]) };
        x += slice.size;
        return slice;
      });
    }
    const next = {}, list = [], [labels, batches] = steps.lanes[lane.dataset.name];
    let run = 0, left = batches[1], last = null;
    for (const [, high, letter] of labels.matchAll(/(\d*)(\D)/g)) {
      const low = letter.charCodeAt(0), n = 52 * high + low - (low < 91 ? 65 : 71);
      const [kind, text, late] = steps.labels[n], [colour, name] = steps.kinds[kind];
      if (left-- === 0) left = batches[(run += 2) + 1] - 1;
      const at = next[kind] = (next[kind] ?? -1) + 1;
      const slice = { ...lists[colour][at], name, text: steps.texts[text], batch: batches[run], late };
      const size = last && slice.begin - last.begin - last.size;
      if (lists.gap && size > 1)
        list.push({ begin: slice.begin - size, size, name: 'gap', text: 'before ' + slice.text, batch: null });
      list.push(last = slice);
    }
    slices.set(lane, list);
    return list;
  };
  const hide = () => {
    tip.hidden = true;
    all('.late', lanes).forEach(lane => lane.classList.remove('late'));
  };
  const show = (lane, slice, x, y) => {
    hide();
    const waits = slice.late !== null && slice.late !== undefined;
    tip.textContent = slice.name + ' ' + (slice.size / unit).toFixed(2) + ' ms' +
      (waits ? ', for rank ' + slice.late : '') + '\n' + lane.dataset.name + ': ' + slice.text +
      (slice.batch !== null ? ', micro-batch ' + slice.batch : '') +
      '\nfrom ' + (slice.begin / unit).toFixed(2) + ' ms';
    tip.hidden = false;
    tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
    tip.style.top = (y + 26 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 20) + 'px';
    const late = waits && lanes.querySelector('.lane[data-name="rank ' + slice.late + '"]');
    if (late) late.classList.add('late');
  };
  const timeAt = event => {
    const box = lanes.querySelector('.lane').lastElementChild.getBoundingClientRect();
    return from + (until - from) * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const axis = document.getElementById('time-axis');
  const view = (begin, stop) => {
    if (stop - begin < 10 || lanes.querySelector('picture')) return;
    from = Math.max(0, begin);
    until = Math.min(end, stop);
    for (const svg of drawn) svg.setAttribute('viewBox', from + ' 0 ' + (until - from) + ' 10');
    for (const svg of all('.texts', lanes)) {
      svg.style.left = -100 * from / (until - from) + '%';
      svg.style.width = 100 * end / (until - from) + '%';
    }
    const range = (until - from) / unit, power = 10 ** Math.floor(Math.log10(range / 5));
    const step = power * [1, 2, 5, 10].find(times => range / (power * times) <= 6);
    axis.replaceChildren();
    for (let at = Math.ceil(from / unit / step) * step; at <= until / unit; at += step) {
      const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      text.setAttribute('x', 100 * (at - from / unit) / range + '%');
      text.setAttribute('y', 13);
      text.textContent = Number(at.toFixed(3)).toLocaleString('en');
      axis.append(text);
    }
  };
  lanes.addEventListener('mousemove', event => {
    const lane = event.target.closest('.lane');
    if (!lane || !event.target.closest('svg')) return hide();
    const time = timeAt(event), slice = slicesOf(lane).findLast(one => one.begin <= time);
    const ends = slice && slice.begin + slice.size + (until - from) / 500;
    if (slice && time <= ends) show(lane, slice, event.clientX, event.clientY);
    else hide();
  });
  lanes.addEventListener('mouseleave', hide);
  lanes.addEventListener('mousedown', event => {
    if (!event.target.closest('.lane svg') || event.button !== 0) return;
    pressed = timeAt(event);
    event.preventDefault();
  });
  addEventListener('mouseup', event => {
    if (pressed === null) return;
    const time = timeAt(event), begin = Math.min(time, pressed), stop = Math.max(time, pressed);
    pressed = null;
    if (stop - begin > (until - from) / 200) view(begin, stop);
  });
  lanes.addEventListener('dblclick', () => view(0, end));
  const places = new Map();
  lanes.addEventListener('keydown', event => {
    const lane = event.target.closest('.lane');
    if (event.key === 'Escape') return view(0, end), hide();
    const way = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!lane || way === undefined) return;
    event.preventDefault();
    const list = slicesOf(lane), place = Math.min(list.length - 1, Math.max(0, (places.get(lane) ?? -1) + way));
    places.set(lane, place);
    const slice = list[place], box = lane.lastElementChild.getBoundingClientRect();
    if (slice) show(lane, slice, box.left + box.width * (slice.begin - from) / (until - from), box.top);
  });
  lanes.addEventListener('focusout', hide);
})();
)js";

// The colours as variables, for light and dark screens, and as rules: fills of shapes, grounds of keys, lanes' strokes.
inline std::string report_style() {
    const auto variables = [](bool dark) {
        std::string to = ":root { ";
        for (const colour_row& row : colours)
            to.append("--").append(row.name).append(": ").append(dark ? row.dark : row.light).append("; ");
        return to + "}";
    };
    std::string to =
        "\n" + variables(false) + "\n@media screen and (prefers-color-scheme: dark) { " + variables(true) + " }\n";
    for (const colour_row& row : colours) {
        if (row.use != colour_use::mark) continue;
        const std::string colour = "var(--" + std::string(row.name) + ")";
        to.append(".").append(row.name).append(" { fill: ").append(colour).append("; background: ").append(colour);
        to.append("; stroke: none }\n.time .").append(row.name).append(" { stroke: ").append(colour).append(" }\n");
    }
    to +=
        ".unknown { fill: url(#hatch); background: repeating-linear-gradient(45deg, var(--unknown) 0 2px, var(--lane) "
        "2px 4px) }\n.time .unknown { vector-effect: non-scaling-stroke; stroke-width: 16px; stroke-dasharray: 2px }\n";
    for (int tenth = 1; tenth != 11; ++tenth)
        to += ".heat" + std::to_string(tenth) +
              " { stroke: var(--work); stroke-opacity: " + std::to_string(10 * tenth) + "% }\n";
    // Shades of a cell, from little to much.
    for (const std::string_view name : {"stage", "pipeline"})
        for (int tenth = 1; tenth != 11; ++tenth)
            to += "." + std::string(name) + std::to_string(tenth) + " { background: color-mix(in srgb, var(--" +
                  std::string(name) + ") " + std::to_string(6 * tenth) + "%, var(--ground)) }\n";
    return to.append(report_rules);
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// A number and its unit stay on one line.
inline std::string unbroken(std::string_view s) {
    std::string to;
    for (const char c : s) c == ' ' ? to.append("&nbsp;") : to.append(1, c);
    return to;
}
// The sign of a number that is a limit.
inline std::string_view sign_of(oplog::limit l) noexcept {
    return l == oplog::limit::least    ? "&ge;&nbsp;"
           : l == oplog::limit::most   ? "&le;&nbsp;"
           : l == oplog::limit::either ? "~&nbsp;"
                                       : "";
}
inline std::string ms_markup(double ms, oplog::limit l = oplog::limit::exact) {
    return joined({sign_of(l), milliseconds_text(ms), "&nbsp;ms"});
}
inline std::string percent_markup(double part, double whole, int decimals = 1, oplog::limit l = oplog::limit::exact) {
    return joined({sign_of(l), unbroken(percent_text(part, whole, decimals))});
}
// What a cell shows for a number that there is not.
inline constexpr const char* missing_value = "&ndash;";
inline std::string strong(std::string_view s) { return joined({"<b>", s, "</b>"}); }
inline std::string link_to(std::string_view section, std::string_view s) {
    return joined({"<a href=\"#", section, "\">", s, "</a>"});
}
// `0 to 3, 7`, and of many ranges the first ones with the number of the rest.
inline std::string ranges_text(const std::vector<std::int64_t>& ascending) {
    std::string to;
    constexpr int most = 8;
    int ranges = 0;
    for (std::size_t n = 0; n != ascending.size();) {
        std::size_t last = n;
        while (last + 1 != ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
        if (ranges++ == most) return to + " and " + count_text(ascending.size() - n) + " more";
        to.append(to.empty() ? "" : ", ").append(std::to_string(ascending[n]));
        if (last != n) to.append(last == n + 1 ? ", " : " to ").append(std::to_string(ascending[last]));
        n = last + 1;
    }
    return to;
}

// Shapes in a page's column, `height` pixels high and as wide as there is room. `words` are read aloud.
inline std::string drawing(const shapes& s, double height, std::string_view words) {
    return joined({"<svg height=\"", fixed_text(height, 0), "\" role=\"img\" aria-label=\"", markup(words), "\">",
                   s.body(), "</svg>"});
}

// A column for each of `count` things, stacked from the parts(thing, n) of the colours. The height stands for `full`.
template <class Parts>
std::string stacked_columns(std::size_t count, const Parts& parts,
                            const std::vector<std::string_view>& colours_of_parts, double full, int height,
                            std::string_view words) {
    shapes to;
    for (std::size_t c = 0; c != colours_of_parts.size(); ++c) {
        std::string path;
        for (std::size_t x = 0; x != count; ++x) {
            double below = 0;
            for (std::size_t n = 0; n != c; ++n) below += parts(x, n);
            // A sum that no double holds has no height.
            const auto level = [&](double v) {
                const double part = v / full;
                return std::to_string(1000 - (part > 0 && part < 1e6 ? std::lround(1000 * part) : 0));
            };
            const std::string bottom = level(below);
            if (const std::string top = level(below + parts(x, c)); top != bottom)
                append(path, {"M", x, " ", bottom, "V", top, "h1V", bottom, "z"});
        }
        to.path(path, colours_of_parts[c]);
    }
    return joined({"<svg height=\"", height, "\" viewBox=\"0 0 ", count,
                   " 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"", words, "\">", to.body(),
                   "</svg>\n"});
}

// A cell of a table: markup, and the number that it shows, by which rows can be sorted and which programs read.
struct html_cell {
    html_cell(std::string markup) : text(std::move(markup)) {}
    html_cell(const char* markup) : text(markup) {}
    html_cell(double number, std::string markup) : text(std::move(markup)), value(decimals_text(number)) {}

    std::string text;
    std::string value;       // empty: it shows no number
    std::string shade = {};  // a class of its own
};
inline html_cell ms_cell(double ms, oplog::limit l = oplog::limit::exact) {
    return {ms, joined({sign_of(l), milliseconds_text(ms)})};
}
inline html_cell ms_cell(const std::optional<double>& ms, oplog::limit l) {
    return ms ? ms_cell(*ms, l) : html_cell(missing_value);
}
inline html_cell count_cell(std::uint64_t n, oplog::limit l = oplog::limit::exact) {
    return {static_cast<double>(n), joined({sign_of(l), count_text(n)})};
}
inline html_cell bytes_cell(double bytes, std::string_view sign = {}) {
    return {bytes, joined({sign, unbroken(bytes_text(bytes))})};
}
// A bar, `percent` of the cell long.
inline html_cell bar_cell(double percent, std::string_view colour, std::string_view words) {
    shapes to("%");
    to.rectangle(0, 0, (std::max)(0.0, percent), 14, colour);
    return drawing(to, 14, words);
}

// A table, row by row. The first cell of a row is its head, unless its column has a class.
class html_table {
public:
    struct column {
        column(std::string markup) : head(std::move(markup)) {}
        column(const char* markup) : head(markup) {}
        column(std::string markup, bool number, std::string_view of = {})
            : head(std::move(markup)), is_number(number), kind(of) {}

        std::string head;
        bool is_number = true;
        std::string_view kind = {};  // a class of its cells
    };
    html_table(std::string_view kind, std::vector<column> columns, std::string_view caption = {})
        : columns_(std::move(columns)) {
        append(text_, {"<div class=\"scroll\"><table class=\"", kind, "\">"});
        if (!caption.empty()) append(text_, {"<caption>", caption, "</caption>"});
        text_ += "<thead><tr>";
        for (const column& c : columns_) add("th", " scope=\"col\"", c, c.kind, c.head);
        text_ += "</tr></thead><tbody>\n";
    }
    // `attributes`: as ` class="strong"`.
    void row(const std::vector<html_cell>& cells, std::string_view attributes = {}) {
        append(text_, {"<tr", attributes, ">"});
        for (std::size_t n = 0; n != cells.size(); ++n) {
            const bool is_head = n == 0 && columns_[0].kind.empty();
            add(is_head ? "th" : "td", is_head ? " scope=\"row\"" : "", columns_[n],
                cells[n].shade.empty() ? columns_[n].kind : cells[n].shade, cells[n]);
        }
        text_ += "</tr>\n";
    }
    // The rows after it are the table's foot.
    void foot() {
        text_ += "</tbody><tfoot>";
        has_foot_ = true;
    }
    std::string finish() {
        return std::move(text_.append(has_foot_ ? "</tfoot>" : "</tbody>").append("</table></div>\n"));
    }

private:
    void add(std::string_view tag, std::string_view scope, const column& c, std::string_view kind,
             const html_cell& cell) {
        append(text_, {"<", tag, scope});
        if (c.is_number || !kind.empty())
            append(text_, {" class=\"", c.is_number ? "n" : "", c.is_number && !kind.empty() ? " " : "", kind, "\""});
        if (!cell.value.empty()) append(text_, {" data-v=\"", cell.value, "\""});
        append(text_, {">", cell.text, "</", tag, ">"});
    }

    std::vector<column> columns_;
    std::string text_;
    bool has_foot_ = false;
};
// A column of texts.
inline html_table::column text_column(std::string_view head, std::string_view kind = {}) {
    return {std::string(head), false, kind};
}

// A square of a colour before a name.
inline std::string key_of(std::string_view colour) { return joined({"<span class=\"key ", colour, "\"></span>"}); }
struct legend_entry {
    std::string_view colour;
    std::string label;  // markup
};
inline std::string legend_of(const std::vector<legend_entry>& entries) {
    std::string to = "<ul class=\"legend\">";
    for (const legend_entry& e : entries) append(to, {"<li>", key_of(e.colour), e.label, "</li>"});
    return to + "</ul>\n";
}

// The page from its first to its last section.
class html_page {
public:
    // Begins a section: what it finds, and how that was measured.
    void section(std::string_view id, std::string_view finding, std::string_view how) {
        end_section();
        append(body_, {"<section id=\"", id, "\"><h2>", finding, "</h2>\n"});
        if (!how.empty()) append(body_, {"<p class=\"how\">", how, "</p>\n"});
        in_section_ = true;
    }
    void note(std::string_view s) {
        if (!s.empty()) append(body_, {"<p class=\"note\">", s, "</p>\n"});
    }
    void heading(std::string_view s) { append(body_, {"<h3>", s, "</h3>\n"}); }
    void legend(std::string_view s) { append(body_, {"<p class=\"legend\">", s, "</p>"}); }
    void add(std::string_view s) { body_ += s; }
    // Something with its name on the left.
    void named(std::string_view name, std::string_view s) {
        append(body_, {"<div class=\"row\"><span>", name, "</span>", s, "</div>\n"});
    }
    // What a click on the summary shows.
    void add_folded(std::string_view summary, std::string_view s) {
        append(body_, {"<details><summary>", summary, "</summary>", s, "</details>\n"});
    }
    // A table of the first `most` of `count` rows, and a folded one of the others, as name(how many) calls them.
    template <class Name, class Row>
    void add_rows(const std::vector<html_table::column>& columns, std::size_t count, std::size_t most, const Name& name,
                  const Row& row) {
        for (std::size_t n = 0; n != count;) {
            html_table table("wide sortable", columns);
            const std::size_t first = n;
            for (; n != (first == 0 ? (std::min)(count, most) : count); ++n) row(table, n);
            first == 0 ? add(table.finish()) : add_folded(name(count - first), table.finish());
        }
    }
    // What programs read. `json` is an object, or empty; a `<` in it cannot end the element.
    void data(std::string_view id, std::string_view json) {
        if (json.empty()) return;
        end_section();
        append(body_, {"<script type=\"application/json\" id=\"", id, "\">"});
        for (const char c : json) c == '<' ? body_.append("\\u003c") : body_.append(1, c);
        body_ += "</script>\n";
    }
    // `source` says what the page is about, `finding` is its heading; both are markup. `title` is text.
    std::string finish(std::string_view title, std::string_view source, std::string_view finding) {
        end_section();
        const std::string version = joined({WLFMT_VERSION_MAJOR, ".", WLFMT_VERSION_MINOR, ".", WLFMT_VERSION_PATCH});
        std::string to =
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src '";
        append(to, {report_style_hash, "'; script-src '", report_script_hash, "'\">\n"});
        to +=
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"wlfmt ";
        append(to, {version, "\">\n<title>", markup(title), "</title>\n<style>", report_style()});
        to += "</style>\n</head>\n<body>\n<svg class=\"hatch\" width=\"0\" height=\"0\" aria-hidden=\"true\">";
        append(to, {hatching, "</svg>\n<main>\n<header><p class=\"source\">", source, "</p>\n<h1>", finding});
        append(to, {"</h1></header>\n", body_, "<footer>wlfmt ", version});
        to +=
            "; this page sends and loads nothing</footer>\n</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n"
            "<script>";
        append(to, {report_script, "</script>\n</body>\n</html>\n"});
        return to;
    }

private:
    void end_section() {
        if (in_section_) body_ += "</section>\n";
        in_section_ = false;
    }

    std::string body_;
    bool in_section_ = false;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
