// Synthesized sounds for a move, points, the end of a game and low time. One switch, stored in this browser, turns them
// off.
import { button } from "./dom.js";

const KEY = "turnwise.sound";

// The tones of each sound: frequency, start and length in seconds, and loudness.
const SOUNDS = {
  move: [[320, 0, .06, .25]],
  score: [[660, 0, .09, .2], [880, .08, .12, .2]],
  end: [[523, 0, .14, .2], [659, .13, .14, .2], [784, .26, .3, .2]],
  low: [[440, 0, .08, .25], [440, .14, .08, .25]],
};

let context = null;

export const isOn = () => {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
};

export const sound = (name) => {
  // Browsers allow sound only after the first click or key.
  if (!isOn() || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  for (const [frequency, after, length, loudness] of SOUNDS[name]) {
    const start = context.currentTime + after;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(loudness, start);
    volume.gain.exponentialRampToValueAtTime(.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
  }
};

// Returns the switch.
export const soundButton = () => {
  const node = button("", () => {
    try {
      localStorage.setItem(KEY, isOn() ? "off" : "on");
    } catch {
      // Without storage, the sound stays on.
    }
    draw();
    sound("move");
  }, { id: "sound" });
  const draw = () => {
    node.textContent = `Sound ${isOn() ? "on" : "off"}`;
    node.setAttribute("aria-pressed", String(isOn()));
  };
  draw();
  return node;
};
