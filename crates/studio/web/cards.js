// Draws cards: playing cards, faces, and plain cards with lines and bars.
import { draw, make } from "./dom.js";

const SUITED = /^(\d+|[AKQJT])([♠♥♦♣])$/;
const RED = "#c0281f";
const DARK = "#1b1f24";

const playingCard = (name) => {
  const [, rank, suit] = name.match(SUITED);
  const fill = "♥♦".includes(suit) ? RED : DARK;
  const text = (x, y, size, content) => draw("text", { x, y, "font-size": size, "font-weight": 700, "text-anchor": "middle", fill }, content);
  const corner = () => [text(12, 19, rank.length > 1 ? 14 : 17, rank), text(12, 34, 14, suit)];
  return draw("svg", { viewBox: "0 0 64 90", "aria-hidden": "true" },
    draw("rect", { x: 1, y: 1, width: 62, height: 88, rx: 7, fill: "#ffffff", stroke: "#8a929c" }),
    corner(), draw("g", { transform: "rotate(180 32 45)" }, corner()), text(32, 58, 34, suit));
};

const cardBack = () => draw("svg", { viewBox: "0 0 64 90", "aria-hidden": "true" },
  draw("rect", { x: 1, y: 1, width: 62, height: 88, rx: 7, fill: "#ffffff", stroke: "#8a929c" }),
  draw("rect", { x: 6, y: 6, width: 52, height: 78, rx: 4, fill: "#2d4f8f" }),
  [0, 1, 2, 3, 4].map((row) => draw("path", { d: `M6 ${20 + 12 * row} L32 ${8 + 12 * row} L58 ${20 + 12 * row}`, fill: "none", stroke: "#8fa9d8", "stroke-width": 2 })));

const HAIR = /^hair(?! ?length)/i;
// The parts of a face from back to front: the attribute that a part shows, and its shapes. The attribute's value is the
// part's color; a part whose value is no color has the color of the hair.
const EDGE = { stroke: "#0007", "stroke-width": 1 };
const PARTS = [
  [/^hair ?length/i, [["path", { d: "M11 62 Q8 10 32 10 Q56 10 53 62 L45 62 L45 40 L19 40 L19 62 Z" }]]],
  [/^face ?shape|^skin/i, [["ellipse", { cx: 32, cy: 38, rx: 18, ry: 21, "stroke-width": 3 }]]],
  [/^facial ?hair|^beard/i, [["path", { d: "M15 44 Q17 60 32 61 Q47 60 49 44 Q41 50 32 49 Q23 50 15 44 Z" }]]],
  [/^pimples|^freckles/i, [["circle", { cx: 20, cy: 45, r: 1.7 }], ["circle", { cx: 24, cy: 47, r: 1.7 }], ["circle", { cx: 44, cy: 45, r: 1.7 }], ["circle", { cx: 40, cy: 47, r: 1.7 }]]],
  [HAIR, [["path", { d: "M13 36 Q11 12 32 12 Q53 12 51 36 Q46 25 32 24 Q18 25 13 36 Z" }]]],
  [/^eye/i, [["circle", { cx: 25, cy: 36, r: 3 }], ["circle", { cx: 39, cy: 36, r: 3 }]]],
  [/^nose/i, [["path", { d: "M32 38 L28.5 46 L35.5 46 Z" }]]],
  [/^glasses/i, [["path", { d: "M17 36 a7 6 0 1 0 14 0 a7 6 0 1 0 -14 0 M33 36 a7 6 0 1 0 14 0 a7 6 0 1 0 -14 0 M31 35 h2", fill: "none" }]]],
  [/^hat/i, [["path", { d: "M6 22 h52 v-4 h-11 Q46 2 32 2 Q18 2 17 18 h-11 Z" }]]],
];
const FACES = /^(hair|eye|hat\b|glasses)/i;
const SKIN = "#f1cfae";

// Returns the color with this name, or null for an unknown name. The brown of CSS is a red.
const paint = (name) => /^brown$/i.test(name) ? "#7a4b26" : CSS.supports("color", name) ? name : null;
// Splits the line "hat red" into the attribute "hat" and the value "red".
const traitOf = (line) => line.match(/^(.*\S)\s+(\S+)$/)?.slice(1) ?? [line, ""];

const face = (lines) => {
  const traits = lines.map(traitOf);
  const valueOf = (name) => traits.find(([attribute]) => name.test(attribute))?.[1] ?? "";
  const hair = paint(valueOf(HAIR)) ?? "#5b4636";
  const shapes = PARTS.flatMap(([name, parts]) => {
    const value = valueOf(name);
    const isSkin = name.test("skin");
    if (!isSkin && /^(|no|none|false|bald|short)$/i.test(value)) return [];
    const colour = paint(value);
    return parts.map(([shape, attributes]) => draw(shape, {
      fill: isSkin ? SKIN : colour ?? hair,
      ...isSkin ? { stroke: colour ?? "#0007" } : attributes.fill ? { stroke: colour ?? DARK, "stroke-width": 2.5 } : EDGE, ...attributes,
    }));
  });
  const eyes = [25, 39].map((cx) => draw("ellipse", { cx, cy: 36, rx: 5, ry: 4, fill: "#ffffff", ...EDGE }));
  const mouth = draw("path", { d: "M27 53 q5 3 10 0", fill: "none", stroke: "#7a2e2a", "stroke-width": 2 });
  // The whites of the eyes lie below the colored parts, and above the skin.
  const skin = shapes.findIndex((shape) => shape.getAttribute("fill") === SKIN);
  shapes.splice(skin + 1, 0, ...eyes);
  return draw("svg", { viewBox: "4 0 56 64", "aria-hidden": "true" }, shapes, mouth);
};

// Returns a bar that is filled to a part, from 0 to 1.
export const bar = (part, side = 0) => {
  const inner = make("i");
  inner.style.width = `${Math.round(100 * Math.max(0, Math.min(1, part)))}%`;
  return make("span", { class: `bar side-${side}`, "aria-hidden": "true" }, inner);
};

export const isFace = (card) => card.lines.some((line) => FACES.test(line));
export const swatch = (text) => {
  if (!paint(text)) return null;
  const node = make("span", { class: "swatch", "aria-hidden": "true" });
  node.style.background = paint(text);
  return node;
};

const unseen = (text) => make("span", { class: "unseen" }, text);

// Returns the class and the content of a card; `badge` names its owner.
export const cardParts = (card, badge) => {
  const { name, lines, state } = card;
  const small = badge ? make("span", { class: "badge" }, badge) : null;
  if (SUITED.test(name)) return { kind: "suit", content: [playingCard(name), unseen([name, ...lines].join(", "))] };
  if (state === "down" && !lines.length) return { kind: "suit", content: [cardBack(), unseen("face down")] };
  const title = make("span", { class: "name" }, name);
  if (isFace(card)) {
    return { kind: "face", content: [title, face(lines), unseen([...lines, state === "down" ? "ruled out" : ""].filter(Boolean).join(", "))] };
  }
  const shown = lines.map((line, at) => [make("span", { class: "line" }, line), card.bars?.[at] === undefined ? null : bar(card.bars[at], at)]);
  return { kind: "", content: [title, shown, small] };
};
