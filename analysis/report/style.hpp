// The style sheet and the script of reports. A page allows these two, by their hashes, and nothing else.
#ifndef WLFMT_ANALYSIS_REPORT_STYLE_HPP
#define WLFMT_ANALYSIS_REPORT_STYLE_HPP

#include "../draw/svg.hpp"
#include "../library.hpp"

namespace wlfmt::analysis {

// tests/report/check.sh says what these hashes must be.
inline constexpr std::string_view report_style_hash = "sha256-OVGgut0bbNTZx7ypxjfK0Y1+9K8ow3YWmZWHrUSSQI8=";
inline constexpr std::string_view report_script_hash = "sha256-EPiuHRI/yuKqg2q1VGwq9Vhm/f0F7POMxSmjwj0LyIs=";

inline constexpr std::string_view report_rules = R"css(
* { box-sizing: border-box }
html { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, Arial, sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%; print-color-adjust: exact;
  -webkit-print-color-adjust: exact }
body { margin: 0 } main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px }
a { color: inherit; text-decoration-color: var(--work); text-underline-offset: 3px }
h1, h2, h3 { font-weight: 650 } h1, h2 { text-wrap: balance; overflow-wrap: anywhere }
h1 { font-size: 26px; line-height: 1.2; margin: 4px 0 16px } h2 { font-size: 19px; line-height: 1.3; margin: 0 0 2px }
h3 { font-size: 13px; margin: 20px 0 4px } section, footer { margin-top: 48px }
.source, .how, .note, footer, small, .legend, caption, th { color: var(--quiet); font-size: 13px }
.unread { border-left: 4px solid var(--alarm); padding: 2px 0 2px 10px; margin: 0 0 16px; overflow-wrap: anywhere }
.unread ul { margin: 4px 0; padding-left: 20px; font-size: 13px }
.source, .how, .note { overflow-wrap: anywhere; max-width: 110ch; margin: 0 0 12px } .note { margin: 10px 0 0 }
footer { border-top: 1px solid var(--rule); padding-top: 12px; overflow-wrap: anywhere }
.verdict { margin: 0 0 20px; padding: 0 0 0 20px; max-width: 840px; font-size: 16px }
.verdict li { margin: 0 0 6px; padding-left: 4px; overflow-wrap: anywhere }
svg { display: block; width: 100%; overflow: hidden } .hatch { position: absolute }
.bare { fill: var(--lane) } .stripe { fill: var(--unknown) }
.stage-stripe { fill: var(--stage) } .pipeline-stripe { fill: var(--pipeline) }
.outline { fill: none; stroke: var(--quiet); stroke-width: 3 }
svg text { fill: var(--quiet); font-size: 12px } svg .on { fill: var(--ink); font-size: 11px }
.grid, .line { stroke: var(--rule); vector-effect: non-scaling-stroke } .line { stroke: var(--quiet) }
.tick { fill: none; stroke: var(--ground); stroke-width: 1; stroke-opacity: .55; vector-effect: non-scaling-stroke }
.pixels { position: relative } .pixels svg { position: absolute; top: 0; left: 0; height: 100% }
.legend { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 8px 0; padding: 0; list-style: none }
.legend b { color: var(--ink) }
.key { display: inline-block; width: 10px; height: 10px; margin-right: 5px; vertical-align: -1px }
.scroll { position: relative; overflow-x: auto; max-width: 100% }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
table { border-collapse: collapse; font-size: 13px } .wide, .facts { width: 100% }
caption { text-align: left; padding: 0 0 4px }
th { font-weight: 500; vertical-align: bottom; text-align: left } tbody th { color: var(--ink); font-weight: 400 }
th, td { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--rule); vertical-align: top }
td { overflow-wrap: anywhere } td:not(.n) { min-width: 6em } td.words { min-width: 16em } td:empty { min-width: 0 }
h1, h2, .source b, .words, #tip { unicode-bidi: isolate-override }
tbody th, tfoot th { white-space: nowrap } th small { white-space: normal }
.n { text-align: right; padding: 4px 0 4px 10px; white-space: nowrap }
thead .n { white-space: normal } .n + :not(.n) { padding-left: 20px }
.bar { width: 40%; min-width: 90px; padding-top: 5px } thead .bar { text-align: center }
.row + .scroll { margin-top: 8px }
.strong td, .strong th, tfoot td, tfoot th, .strong { font-weight: 650; color: var(--ink) }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: inherit; text-decoration: underline dotted; text-underline-offset: 3px }
th button::after { content: "\2195"; padding-left: 3px; opacity: .6 }
th[aria-sort=descending] button::after { content: "\2193"; opacity: 1 }
th[aria-sort=ascending] button::after { content: "\2191"; opacity: 1 }
.scroll:focus-visible, th button:focus-visible, .lane:focus-visible, summary:focus-visible {
  outline: 2px solid var(--work) }
.row { display: grid; grid-template-columns: 128px 1fr; align-items: center; font-size: 12px; color: var(--quiet) }
.row > span { overflow-wrap: anywhere; padding-right: 8px } .row.strong { color: var(--ink) }
.lane .time { height: 16px; margin: 1px 0; background: var(--lane) } .steps .time { background: none }
.lane > div { position: relative; overflow: hidden } .lane.late { outline: 1.5px solid var(--ink) }
.texts { position: absolute; top: 1px; height: 16px }
.time path { fill: none; stroke-width: 10 }
.time .step { stroke: var(--rule) } .time .back { stroke: var(--quiet); stroke-opacity: .5 }
.blocks { display: flex; flex-wrap: wrap; gap: 20px 40px; align-items: flex-start }
.matrix th, .matrix td { padding: 3px 6px; border: 1px solid var(--ground); min-width: 36px; text-align: right }
.matrix .self { background: var(--lane) }
details > summary { cursor: pointer; color: var(--quiet); font-size: 13px; margin: 8px 0 }
.facts, .facts th { font-size: 14px } .facts th { width: 170px; color: var(--quiet) }
.passed th::before { content: "\2713  "; color: var(--work) }
.limits th::before { content: "!  "; color: var(--alarm); font-weight: 700 }
.facts .limits th { color: var(--ink); font-weight: 650 }
picture img { display: block; width: 100%; image-rendering: pixelated }
#tip { position: fixed; z-index: 9; background: var(--ink); color: var(--ground); font-size: 12.5px; line-height: 1.4;
  padding: 7px 10px; border-radius: 4px; pointer-events: none; max-width: 320px; white-space: pre-line }
.keyed { white-space: nowrap } tr[hidden] { display: none !important }
.filter { display: block; color: var(--quiet); font-size: 13px; margin: 8px 0 }
.filter input { font: inherit; color: var(--ink); background: var(--lane); border: 1px solid var(--quiet);
  border-radius: 3px; padding: 2px 6px; margin-right: 8px; max-width: 60% }
.scripted { display: none } .has-script .scripted { display: inline }
@media (max-width: 700px) {
  main { padding: 20px 16px 40px } section { margin-top: 36px }
  h1 { font-size: 22px } .verdict { font-size: 15px }
  .row { grid-template-columns: 64px 1fr }
  .facts th, .facts td { display: block; width: auto; padding: 4px 0 }
  .facts th { border: 0; padding-bottom: 0; white-space: normal }
  .account, .account thead, .account tbody, .account tfoot { display: block }
  .account tr { display: grid; grid-template-columns: repeat(4, 1fr); border-bottom: 1px solid var(--rule) }
  .account th, .account td { border: 0; padding: 2px 6px 2px 0; text-align: left; white-space: normal }
  .account .bar { grid-column: 1 / -1; width: auto; padding-left: 0 } .account td:empty { display: none }
  .account tfoot th { grid-column: 1 / -1 }
  .narrow { display: none }
  td.words { min-width: 10em } .bar { width: 20%; min-width: 60px }
  .matrix th, .matrix td { padding: 3px; min-width: 28px; font-size: 11px }
}
@media print {
  @page { size: A4; margin: 14mm }
  html { font-size: 11px } main { max-width: none; padding: 0 } section { margin-top: 22px }
  tr, .row, .matrix, .stage-lanes { break-inside: avoid } .filter { display: none } tfoot { display: table-row-group }
  h1, h2, h3, .how, .legend, summary, caption { break-after: avoid; break-inside: avoid }
  h1, h2, h3 { text-wrap: wrap }
  .scroll { overflow: visible }
  .scripted, .has-script .scripted, #tip, th button::after { display: none } th button { text-decoration: none }
  rect.stage { fill: url(#hatch-stage) } rect.pipeline { fill: url(#hatch-pipeline) }
  .key.stage { background: repeating-linear-gradient(45deg, var(--stage) 0 2px, var(--ground) 2px 3px) }
  .key.pipeline { background: repeating-linear-gradient(-45deg, var(--pipeline) 0 2px, var(--ground) 2px 4px) }
}
)css";

inline constexpr std::string_view report_script = R"js(
'use strict';
(() => {
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  document.documentElement.classList.add('has-script');
  const byName = new Intl.Collator('en', { numeric: true });
  for (const first of all('table.sortable')) {
    if (first.closest('details.rest')) continue;
    const fold = first.parentElement.nextElementSibling, rest = fold?.matches('details.rest') ? fold : null;
    const tables = rest ? [first, rest.querySelector('table')] : [first];
    const bodies = tables.map(table => table.tBodies[0]), rows = bodies.flatMap(body => Array.from(body.rows));
    const shown = bodies[0].rows.length, summary = rest?.querySelector('summary'), words = summary?.textContent;
    const place = (list, text) => {
      list.forEach((row, n) => bodies[n < shown ? 0 : 1].append(row));
      if (summary) summary.textContent = text;
    };
    if (rows.length > 30 || (rest && rows.length > 12)) {
      const box = document.createElement('label'), input = document.createElement('input');
      const found = document.createElement('output');
      box.className = 'filter';
      input.type = 'search';
      box.append('Rows with ', input, found);
      first.parentElement.before(box);
      input.oninput = () => {
        const wanted = input.value.toLowerCase();
        rows.forEach(row => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
        found.textContent = wanted ? rows.filter(row => !row.hidden).length + ' of ' + rows.length : '';
        if (rest) rest.open = wanted !== '';
      };
    }
    for (const head of tables.flatMap(table => all('thead th', table))) {
      if (head.classList.contains('bar')) continue;
      const column = head.cellIndex, button = document.createElement('button');
      button.append(...head.childNodes);
      head.append(button);
      button.title = 'Sorts by this column: downwards, upwards, as before';
      const numeric = rows.some(row => row.cells[column].dataset.v !== undefined);
      const value = row => {
        const cell = row.cells[column];
        return cell.dataset.v !== undefined ? Number(cell.dataset.v) : numeric ? null : cell.textContent;
      };
      const before = (x, y) => numeric ? Math.sign(x - y) || 0 : byName.compare(x, y);
      button.onclick = () => {
        const order = head.getAttribute('aria-sort');
        const next = order === null ? 'descending' : order === 'descending' ? 'ascending' : null;
        for (const table of tables) {
          all('thead th', table).forEach(other => other.removeAttribute('aria-sort'));
          if (next !== null) table.tHead.rows[0].cells[column].setAttribute('aria-sort', next);
        }
        if (next === null) return place(rows, words);
        const known = rows.filter(row => value(row) !== null), unknown = rows.filter(row => value(row) === null);
        known.sort((x, y) => before(value(x), value(y)) * (next === 'descending' ? -1 : 1));
        place([...known, ...unknown], rows.length - shown + ' more');
      };
    }
  }
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
      const strokes = path.getAttribute('stroke-dasharray') || path.getAttribute('d');
      let x = 0;
      lists[path.classList[0]] = Array.from(strokes.matchAll(/[m ](\d+) (?:0h)?(\d+)/g), ([, gap, size]) => {
        x += Number(gap) + Number(size);
        return { begin: x - size, size: Number(size) };
      });
    }
    const mayHaveLost = /, gaps (\S+ to|<)/.test(lane.getAttribute('aria-label')), sign = mayHaveLost ? '<= ' : '';
    const next = {}, list = [], [labels, batches] = steps.lanes[lane.dataset.name];
    let run = 0, left = batches[1], last = null;
    for (const [, high, letter] of labels.matchAll(/(\d*)(\D)/g)) {
      const low = letter.charCodeAt(0), n = 52 * high + low - (low < 91 ? 65 : 71);
      const [kind, text, late = -1, limit = ''] = steps.labels[n], [colour, name] = steps.kinds[kind];
      if (left-- === 0) left = batches[(run += 2) + 1] - 1;
      const at = next[kind] = (next[kind] ?? -1) + 1;
      const slice = { ...lists[colour][at], name, text: steps.texts[text], batch: batches[run], late, sign: limit };
      const size = last && slice.begin - last.begin - last.size;
      if (lists.gap && size > 1)
        list.push({ begin: slice.begin - size, size, name: 'gap', text: 'before ' + slice.text, batch: null, sign });
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
    const waits = slice.late >= 0, ms = time => (time / unit).toFixed(2) + ' ms';
    tip.textContent = slice.name + ' ' + (slice.sign || '') + ms(slice.size) +
      (waits ? ', for rank ' + slice.late : '') + '\n' +
      lane.dataset.name + ': ' + slice.text + (slice.batch !== null ? ', micro-batch ' + slice.batch : '') +
      '\nfrom ' + ms(slice.begin);
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
    const numbers = axis.querySelector('g');
    let ticks = '';
    numbers.replaceChildren();
    for (let at = Math.ceil(from / unit / step) * step; at <= until / unit; at += step) {
      const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      const place = (at - from / unit) / range;
      text.setAttribute('x', 100 * place + '%');
      text.setAttribute('text-anchor', place < 0.88 ? 'start' : 'end');
      text.setAttribute('y', 13);
      text.textContent = Number(at.toFixed(3)).toLocaleString('en');
      numbers.append(text);
      ticks += 'M' + Math.round(at * unit) + ' 0v10';
    }
    document.getElementById('ticks').setAttribute('d', ticks);
  };
  lanes.addEventListener('mousemove', event => {
    const lane = event.target.closest('svg')?.closest('.lane'), time = timeAt(event);
    const slice = lane && slicesOf(lane).findLast(one => one.begin <= time);
    if (slice && time <= slice.begin + slice.size + (until - from) / 500) show(lane, slice, event.x, event.y);
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

// The colours as variables, for light and dark screens and for paper, and as rules: fills of shapes, backgrounds of
// keys, strokes of lanes. Then the other rules.
inline std::string report_style() {
    const auto variables = [](medium on) {
        std::string text = ":root { ";
        for (const colour_row& row : colours) append(text, {"--", row.name, ": ", colour_of(row.name, on), "; "});
        return text + "}";
    };
    std::string text = joined({"\n", variables(medium::light), "\n@media screen and (prefers-color-scheme: dark) { ",
                               variables(medium::dark), " }\n@media print { ", variables(medium::print), " }\n"});
    for (const colour_row& row : colours) {
        if (row.use != colour_use::mark) continue;
        const std::string colour = joined({"var(--", row.name, ")"});
        append(text, {".", row.name, " { fill: ", colour, "; background: ", colour, "; stroke: none }\n.time .",
                      row.name, " { stroke: ", colour, " }\n"});
    }
    text +=
        ".unknown { fill: url(#hatch); background: repeating-linear-gradient(45deg, var(--unknown) 0 2px, var(--lane) "
        "2px 4px) }\n.time .unknown { vector-effect: non-scaling-stroke; stroke-width: 16px; stroke-dasharray: 2px }\n";
    for (int tenth = 1; tenth != 11; ++tenth)
        append(text, {".heat", tenth, " { stroke: var(--work); stroke-opacity: ", 10 * tenth, "% }\n"});
    for (const std::string_view name : {"stage", "pipeline"})
        for (int tenth = 1; tenth != 11; ++tenth)
            append(text, {".", name, tenth, " { background: color-mix(in srgb, var(--", name, ") ", 5 * tenth,
                          "%, var(--ground)) }\n"});
    return text.append(report_rules);
}

}  // namespace wlfmt::analysis

#endif
