// Stepping through a game: buttons, a slider, keys, and a timer.
import { button, make } from "./dom.js";

const STEP_MS = 700;

// Creates controls that call `go(ply)` for each step; `now()` is { ply, last }. Keys work everywhere unless
// `isBusy(target)`, and only while `isInView()`; `keys` are further keys, by name. Their listeners end with `signal`.
export const openSteps = ({ go, now, keys = {}, isInView = () => true, isBusy = () => false, signal }) => {
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  const togglePlay = () => {
    if (timer !== null) return stop();
    if (now().ply === now().last) go(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      go(now().ply + 1);
      if (now().ply === now().last) stop();
    }, STEP_MS);
  };
  const actions = {
    start: () => go(0),
    back: () => go(now().ply - 1),
    forward: () => go(now().ply + 1),
    end: () => go(now().last),
  };
  const stepper = (id, sign, label, key) => button(sign, () => { stop(); actions[id](); },
    { id, title: `${label} (${key})`, "aria-label": label });
  const play = button("Play", togglePlay, { id: "play", title: "Play or pause (space)" });
  const slider = make("input", {
    id: "slider", type: "range", min: 0, value: 0, "aria-label": "Ply",
    input: (event) => { stop(); go(Number(event.target.value)); },
  });
  const before = [stepper("start", "«", "First position", "Home"), stepper("back", "‹", "Back", "left arrow")];
  const behind = [stepper("forward", "›", "Forward", "right arrow"), stepper("end", "»", "Last position", "End")];
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || isBusy(event.target)) return;
    // The slider handles its own keys, and elements to press or open handle the space key.
    if (event.target === slider && event.key !== " ") return;
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    const known = {
      ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.start, End: actions.end, ...keys,
    };
    const action = event.key === " " ? togglePlay : known[event.key];
    if (!action || !isInView()) return;
    event.preventDefault();
    if (action !== togglePlay) stop();
    action();
  }, { signal });
  signal?.addEventListener("abort", stop);
  return {
    element: make("div", { class: "controls" }, before, play, behind, slider),
    stop,
    draw: () => {
      const { ply, last } = now();
      slider.max = last;
      slider.value = ply;
      for (const node of before) node.disabled = ply === 0;
      for (const node of behind) node.disabled = ply === last;
    },
  };
};

// Creates the line of a move in a list of moves.
export const stepOf = (who, words, figure, act) =>
  make("li", {}, button([make("span", {}, who), make("span", { class: "words" }, words), figure], act, { class: "step", title: words }));
