// The ranking of a tournament: a podium, a table with drawn intervals, and a crosstable whose cells open games.
// crates/report/src/page/data.rs writes the data.
import { button, draw, make } from "./dom.js";

const WIDTH = 120;
const MOST_ON_A_STEP = 3;

const podium = ({ names, places, table }) => {
  const step = (place) => {
    const on = [...names.keys()].filter((at) => places[at] === place);
    if (!on.length) return null;
    const who = (at) => [make("b", {}, names[at]), make("small", {}, `${table.rows[at][2].split(" ")[0]} ${table.header[2]}`)];
    const left = on.length - MOST_ON_A_STEP;
    return make("li", { class: `place-${place}` }, on.slice(0, MOST_ON_A_STEP).map(who),
      left > 0 ? make("small", {}, `and ${left} more`) : null, make("span", {}, String(place)));
  };
  return make("ol", { class: "podium", "aria-label": "The first three places" }, [1, 2, 3].map(step));
};

// Draws a rating and its interval; `at` converts a rating to a coordinate.
const drawn = (interval, at) => {
  const [low, value, high] = interval.map(at);
  return draw("svg", { viewBox: `0 0 ${WIDTH} 16`, width: WIDTH, height: 16, "aria-hidden": "true" },
    draw("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: 16 }),
    draw("line", { x1: low, x2: high, y1: 8, y2: 8 }),
    draw("circle", { cx: value, cy: 8, r: 4 }));
};

// Creates a table below a heading; `cell(text, column, row, plain)` may return several cells.
const ranked = (level, table, cell) => {
  const { title, header, words, rows } = table;
  const plain = (name) => (text, column) => make(name, { class: words.includes(column) ? "words" : null }, text);
  return [make(level, {}, title), make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
    make("table", { class: "ranks" },
      make("thead", {}, make("tr", {}, header.map((text, column) => cell(text, column, null, plain("th"))))),
      make("tbody", {}, rows.map((row, at) => make("tr", {}, row.map((text, column) => cell(text, column, at, plain("td"))))))))];
};

// Fills an element with a ranking. `opener(one, other)` returns an action that shows the games of two participants, or
// null if the page has none of them; `level` is the element of the headings.
export const drawRanking = (root, { names, places, table, intervals, trust, crosstable, leads }, opener, level) => {
  const ends = intervals.flatMap((interval) => interval ?? []).concat(0);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const coordinate = (rating) => 5 + (WIDTH - 10) * (rating - least) / (most - least || 1);
  const withInterval = (text, column, row, plain) => {
    if (column !== 1) return plain(text, column);
    const picture = intervals[row] ? drawn(intervals[row], coordinate) : null;
    return [plain(text, column), row === null ? plain("95 % interval", 0) : make("td", {}, picture)];
  };
  const withHeat = (text, column, row, plain) => {
    const lead = leads[row]?.[column - 2] ?? null;
    if (lead === null) return plain(text, column);
    const [one, other] = [names[row], names[column - 2]];
    const open = opener(one, other);
    const cell = make("td", { class: "met" }, open ? button(text, open, { title: `${one} against ${other}: show the games` }) : text);
    // A color for who is ahead, and more of it for a larger lead.
    const share = Math.round(Math.abs(lead) * 40);
    cell.style.background = `color-mix(in srgb, var(--${lead < 0 ? "second" : "first"}) ${share}%, var(--card))`;
    return cell;
  };
  const unit = crosstable && table.header[2] === "Elo" ? "pairs won of those played" : "points a game";
  const meaning = `A row shows a participant's results against the others, in ${unit}: blue where it is ahead, orange where it is behind. A cell opens the games.`;
  root.replaceChildren(podium({ names, places, table }), make("p", { class: "muted" }, trust), ...ranked(level, table, withInterval),
    ...(crosstable ? [...ranked(level, crosstable, withHeat), make("p", { class: "muted" }, meaning)] : []));
};
