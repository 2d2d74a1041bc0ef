// Draws a game's course as lines over its plies.

const NAMESPACE = "http://www.w3.org/2000/svg";
export const COLOURS = [
  "#3b82f6", "#ea6c20", "#8a94a0", "#22a06b", "#a855f7", "#db448a", "#0e96aa", "#a88a14", "#dc3c3c", "#64748b",
];

// The height of a label.
const LINE = 12;

// `lines` are objects with a name, a color and points [ply, height]; the chart shows at least the height `top`. A click
// calls `pick` with its ply; `dots` are marks on the lines, each [ply, height, color].
export const course = (lines, { plies, ply, top: least, dots = [], pick }) => {
  // The names are below, in as many rows as necessary.
  const inRow = lines.length === 2 ? 2 : 3;
  const names = 18 + 12 * (Math.max(1, Math.ceil(lines.length / inRow)) - 1);
  const [width, height, left, bottom] = [320, 112 + names, 32, names];
  const heights = lines.flatMap(([, , points]) => points.map(([, y]) => y));
  const most = Math.max(least, ...heights);
  const top = most * 1.05;
  const low = Math.min(0, ...heights);
  const x = (at) => left + (width - left - 6) * at / Math.max(1, plies);
  const y = (score) => 16 + (height - bottom - 16) * (1 - (score - low) / (top - low));
  const svg = document.createElementNS(NAMESPACE, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "The course of the game");
  const draw = (name, attributes, text) => {
    const node = document.createElementNS(NAMESPACE, name);
    for (const [key, content] of Object.entries(attributes)) node.setAttribute(key, content);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
  };
  const line = (points, colour, at) => points.length && draw("polyline", {
    points: points.map(([at, score]) => `${x(at).toFixed(1)},${y(score).toFixed(1)}`).join(" "),
    fill: "none", stroke: colour, "stroke-width": 1.8, "stroke-dasharray": at === 1 ? "5 2" : "none",
  });
  draw("line", { x1: left, x2: width - 6, y1: y(0), y2: y(0), stroke: "currentColor", opacity: .35 });
  const shown = (value) => Math.abs(value) < 3 ? value.toFixed(1) : Math.abs(value) < 10000 ? String(Math.round(value)) : `${Math.round(value / 1000)}k`;
  const label = (value, text) => draw("text", { x: left - 4, y: y(value) + 4, "text-anchor": "end" }, text);
  label(0, "0");
  // No label of an extreme covers the label of zero.
  for (const value of [most, low]) if (Math.abs(y(value) - y(0)) > LINE) label(value, shown(value));
  lines.forEach(([, colour, points], at) => line(points, colour, at));
  for (const [at, height, colour] of dots) draw("circle", { cx: x(at), cy: y(height), r: 3, fill: colour });
  draw("line", { x1: x(ply), x2: x(ply), y1: 14, y2: height - bottom, stroke: "currentColor", "stroke-width": 1.2 });
  const room = (width - left) / inRow;
  lines.forEach(([name, colour], at) => {
    const [across, down] = [left + at % inRow * room, height - bottom + 14 + 12 * Math.floor(at / inRow)];
    draw("rect", { x: across, y: down - 7, width: 9, height: 7, fill: colour });
    draw("text", { x: across + 13, y: down }, name);
  });
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const position = (event.clientX - box.left) / box.width * width;
    pick(Math.round((position - left) / (width - left - 6) * plies));
  });
  return svg;
};
