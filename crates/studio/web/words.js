// Figures, results and positions in words, and as parts of addresses.

// The first role's final score that something stands for.
export const scoreText = (about, score) =>
  about.is_won ? `${Math.round(score * 100)} % for ${about.roles[0]}` : `${points(score)} for ${about.roles[0]}`;

// Numbers with as many digits as tell something.
export const points = (value) => Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Math.round(value * 100) / 100);

// The value of a line of a study.
export const lineValue = (about, line) => line.score === null ? `value ${points(line.value)}` : scoreText(about, line.score);

// What a move gave away.
export const lossText = (about, lost) => about.is_won ? `${(lost * 100).toFixed(1)} %` : points(lost);

// How a game ended, for everybody.
export const endText = (about, end) => {
  const why = end.ending ? `: ${end.ending}` : "";
  if (!about.is_won) return `${about.roles[0]}'s score is ${points(end.score)}${why}`;
  return end.score === 0.5 ? `A draw${why}` : `${about.roles[end.score === 1 ? 0 : 1]} wins${why}`;
};

export const clockText = (seconds) => {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  const whole = Math.ceil(left);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

export const timeText = (time) => ({
  clock: () => `${time.seconds} s for the game${time.increment ? ` and ${time.increment} s a move` : ""}`,
  movetime: () => `${time.seconds} s a move`,
  nodes: () => `${time.nodes} nodes a move`,
})[time.kind]();

// A value as a part of an address, and back.
export const packed = (value) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
export const unpacked = (text) => {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0))));
};
