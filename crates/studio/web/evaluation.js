// The engine's opinion of a position: a bar, the progress of the search, and the lines that begin with the best moves.
import { markerOf } from "./board.js";
import { bar } from "./cards.js";
import { make } from "./dom.js";
import { lineValue, winnerOf } from "./words.js";

// A lead of this many points fills the bar.
const FULL = 10000;

// Returns the first role's part of the bar, from 0 to 1, or null if the game is not about a lead.
const shareOf = (about, { score, value }) => {
  if (about.is_won) return score;
  const lead = score ?? value;
  if (winnerOf(about, lead) === undefined) return null;
  return .5 + .5 * Math.sign(lead) * Math.min(1, Math.log1p(Math.abs(lead)) / Math.log1p(FULL));
};

// Returns a bar that shows which side is ahead if it plays the best line, with the value in words.
export const evaluationBar = (about, line, names) => {
  const share = line ? shareOf(about, line) : null;
  return make("div", { class: "evaluation" }, ...share === null ? [] : [markerOf(about, 0), bar(share), markerOf(about, 1)],
    make("b", {}, line ? lineValue(about, line, names) : ""));
};

// Describes how far a search has come.
export const progressText = (studied) =>
  studied ? [`Depth ${studied.depth}`, studied.nodes ? `${studied.nodes.toLocaleString("en")} nodes` : "", studied.is_exact ? "exact" : ""].filter(Boolean).join(", ") : "";
