// Numbers, results and positions in words, and as parts of addresses.

const YOU = "You";

// Returns the side from whose point of view values are stated, and its name within a sentence.
const viewpoint = (names) => names[1] === YOU ? [1, "you"] : [0, names[0] === YOU ? "you" : names[0]];

// Formats a final score of the first role, or the chance of the person at this page, if `names` has "You". Neither a small
// chance nor an almost certain win is rounded away.
export const scoreText = (about, score, names = about.roles) => {
  if (!about.is_won) {
    const leader = winnerOf(about, score);
    if (leader === undefined) return `${points(score)} points expected for ${about.roles[0]}`;
    return leader === null ? "even" : `${names[leader]} should win by ${points(Math.abs(score))} points`;
  }
  const [side, name] = viewpoint(names);
  const percent = 100 * (side ? 1 - score : score);
  const text = percent > 0 && percent < 1 ? "< 1" : percent > 99 && percent < 100 ? "> 99" : String(Math.round(percent));
  return `${text} % chance for ${name}`;
};

// Formats a number with its meaningful digits.
export const points = (value) => Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Math.round(value * 100) / 100);

// Formats the value of a line of analysis: the moves to go in a race, the expected score, or the engine's value. Where
// nearly equal chances hide a difference, the value follows.
export const lineValue = (about, { score, value, to_go: toGo }, names = about.roles) => {
  if (toGo) return names.map((name, side) => `${name} ${toGo[side]}`).join(", ") + " moves to go";
  const [side, name] = viewpoint(names);
  if (score === null) return about.is_won ? `value ${points(value)}` : `${points(side ? -value : value)} points for ${name}`;
  const isClear = !about.is_won || Math.abs(score - .5) < .49 || score === value;
  return scoreText(about, score, names) + (isClear ? "" : `, value ${points(value)}`);
};

// Formats the loss of a move.
export const lossText = (about, lost) => about.is_won ? `${(lost * 100).toFixed(1)} %` : points(lost);

// The signs of the marks in a review.
export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

// Describes a move that a person tried.
export const triedText = (about, { words, lost, is_exact: isExact, mark }) => {
  const loss = lost < 1e-6 ? "loses nothing" : `loses ${isExact ? "" : "about "}${lossText(about, lost)}`;
  return mark ? `${SIGNS[mark]} ${words} ${loss}: ${mark}.` : `Good: ${words} ${loss}.`;
};

const whyText = ({ ending }) => ending ? `: ${ending}` : "";

// Describes by how much and how a game was won, after a verb.
export const marginText = (about, end) => (about.is_won ? "" : ` by ${points(Math.abs(end.score))} points`) + whyText(end);

// Describes the end of a game, for everybody.
export const endText = (about, end) => {
  const winner = winnerOf(about, end.score);
  if (winner === undefined) return `${about.roles[0]}'s score is ${points(end.score)}${whyText(end)}`;
  if (winner === null) return `A draw${whyText(end)}`;
  return `${about.roles[winner]} wins${marginText(about, end)}`;
};

// Returns the side that has won, null after a draw, and undefined if only the first role has a score.
export const winnerOf = (about, score) => {
  const even = about.is_won ? 0.5 : 0;
  if (!about.is_won && about.measures.length < 2) return undefined;
  return score === even ? null : score > even ? 0 : 1;
};

export const clockText = (seconds) => {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  const whole = Math.ceil(left);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

// Converts a value to a part of an address, and back.
export const packed = (value) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
export const unpacked = (text) => {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0))));
};

// Returns the name of a person's opponent.
export const opponentOf = ({ agent, level }) => level ? `${agent}, level ${level}` : agent;
