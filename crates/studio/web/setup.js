// Forms for the game, its settings, the players and the clock.
import { markerOf } from "./board.js";
import { button, make } from "./dom.js";
import { send } from "./http.js";
import { save } from "./store.js";
import { unpacked } from "./words.js";

let made = 0;

// Returns a labeled control, with a line of help.
export const field = (label, control, help) => {
  control.id ||= `field-${++made}`;
  const hint = help ? make("small", { id: `${control.id}-help`, class: "muted" }, help) : null;
  if (hint) control.setAttribute("aria-describedby", hint.id);
  return make("div", { class: control.type === "checkbox" ? "field check" : "field" },
    make("label", { for: control.id }, label), control, hint);
};

export const select = (options, attributes = {}) =>
  make("select", attributes, options.map(([value, text]) => make("option", { value }, text)));

const number = (value, attributes = {}) => make("input", { type: "number", value, step: "any", min: 0, ...attributes });

const titled = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");

// Returns a choice of game and settings; people often change the settings in `quick`. `options()` returns the settings;
// `changed` is called for another game.
export const gameChoice = (games, wanted, changed = () => {}) => {
  let controls = new Map();
  const [settings, quick] = [make("div", { class: "fields" }), make("div", { class: "fields" })];
  const game = select(games.map(({ name, title }) => [name, title]), { name: "game" });
  const summary = make("p", { class: "muted" });
  const about = () => games.find(({ name }) => name === game.value);
  const fill = () => {
    controls = new Map();
    quick.replaceChildren();
    const fields = about().options.flatMap((option) => {
      const { name, value, choices, offered, help } = option;
      const control = value === null ? make("input", { type: "checkbox" })
        : choices.length ? select([...offered.length ? [] : [["", "as usual"]], ...choices.map(([word, meaning]) => [word, `${word}: ${meaning}`])])
          : make("input", { type: "text", placeholder: "as usual", autocomplete: "off" });
      control.name = name;
      controls.set(option, control);
      if (!offered.length) return [field(titled(name), control, help)];
      const labeled = field(titled(name), control);
      control.value = offered[0];
      if (!choices.length) control.after(make("div", {}, [...offered].sort((one, other) => one - other).map((value) => button(value, () => { control.value = value; }, { class: "chip", "aria-label": `${titled(name)} ${value}` }))));
      quick.append(labeled);
      return [];
    });
    settings.hidden = fields.length === 0;
    settings.replaceChildren(...fields);
    summary.textContent = about().summary;
    changed(about());
  };
  game.addEventListener("change", fill);
  if (games.some(({ name }) => name === wanted)) game.value = wanted;
  return {
    elements: [field("Game", game), summary],
    quick,
    settings,
    about,
    fill,
    options: () => Object.fromEntries([...controls].flatMap(([{ name, value }, control]) => {
      const chosen = value === null ? (control.checked ? "" : null) : control.value.trim() || null;
      return chosen === null ? [] : [[name, chosen]];
    })),
  };
};

// Returns the kinds of clocks, with controls for their numbers.
const clockChoice = () => {
  const kinds = {
    clock: [["Seconds for the game", "seconds", 300], ["Seconds added per move", "increment", 3]],
    movetime: [["Seconds per move", "seconds", 5]],
    nodes: [["Nodes per move", "nodes", 50000]],
  };
  const kind = select([
    ["nodes", "No clock"], ["clock", "A clock for the game"], ["movetime", "The same time for every move"],
  ]);
  const box = make("div", { class: "fields" });
  const fill = () => box.replaceChildren(...kinds[kind.value].map(([label, name, usual]) =>
    field(label, number(usual, { name, min: name === "increment" ? 0 : name === "nodes" ? 1 : 0.1, required: true }))));
  kind.addEventListener("change", fill);
  fill();
  return {
    elements: [field("Clock", kind), box],
    time: () => ({
      kind: kind.value,
      ...Object.fromEntries([...box.querySelectorAll("input")].map((input) => [input.name, Number(input.value)])),
    }),
  };
};

// The people for whom the levels of a game are meant, from the weakest levels to the strongest.
const PEOPLE = ["beginners", "casual players", "experienced players", "experts"];

// Describes a level, numbered from 1, or full strength, which is level 0.
const levelText = ({ levels, agents }, number) => {
  if (!number) return "Full strength is for experts: no level plays better.";
  const { agent, nodes, random } = levels[number - 1];
  const how = random ? `${random} % of its moves are random` : agent !== agents[0] ? `it plays like the agent ${agent}`
    : nodes ? `it searches ${nodes.toLocaleString("en")} nodes per move` : "none of its moves are random";
  return `Level ${number} is for ${PEOPLE[Math.floor((number - 1) / levels.length * PEOPLE.length)]}: ${how}.`;
};

export const freshSeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

// Creates a game from the chosen settings, with the moves of its opening already on the board.
export const newGame = ({ about, settings, beginning, opening, side, agent, level, time, before, earlier }) => ({
  id: crypto.getRandomValues(new Uint32Array(2)).join(""),
  game: about.name, settings, beginning, opening: opening ?? [], moves: [...opening ?? []], side, agent, level: level ?? null, time,
  left: [time.seconds ?? null, time.seconds ?? null], over: null, before: before ?? null, earlier: earlier ?? null,
});

// Returns the position in the address, or else the stored position, and the description of its game. Returns null after
// showing an error on the page.
export const positionIn = (page, stored = null) => {
  let position = stored;
  try {
    if (page.query.has("position")) position = unpacked(page.query.get("position"));
  } catch {
    position = null;
  }
  const about = page.games.find(({ name }) => name === position?.game);
  if (about) return { position, about };
  page.missing("The address holds no position.", "#/analysis", "Choose one");
  return null;
};

// Creates a game from an existing position.
const fromPosition = ({ position, about }) => {
  const moves = position.moves.length;
  return {
    elements: [make("p", {}, `${about.title}, from the position of your analysis${moves ? `, after ${moves} moves` : ""}.`)],
    about: () => about,
    start: () => ({ settings: position.settings, beginning: position.beginning, opening: position.moves }),
  };
};

// Creates a game from its beginning; a seed determines its luck.
const fromStart = ({ games, engine, query, signal }, changed) => {
  const seed = make("input", { type: "number", min: 0, step: 1, placeholder: "drawn", name: "seed" });
  const choice = gameChoice(games, query.get("game"), changed);
  return {
    elements: choice.elements,
    quick: choice.quick,
    settings: [choice.settings, field("Luck", seed, "The same number draws the same tiles, cards and persons.")],
    about: choice.about,
    fill: choice.fill,
    start: async () => ({
      settings: await engine.ask({ ask: "settle", game: choice.about().name, options: choice.options() }, signal),
      beginning: { seed: seed.value === "" ? freshSeed() : Number(seed.value) },
    }),
  };
};

// The page that starts a game.
export const open = (page) => {
  const { root, query } = page;
  const given = query.has("position") ? positionIn(page) : null;
  if (query.has("position") && !given) return;
  const sides = make("fieldset", { class: "picks sides" });
  const agent = make("select", { name: "agent" });
  const levels = make("fieldset", { class: "picks levels" });
  const clock = clockChoice();
  // Only the first agent plays at levels.
  const offerLevels = (about) => { levels.hidden = about.levels.length === 0 || agent.value !== about.agents[0]; };
  const fill = (about) => {
    const side = (value, name, ...picture) => {
      const radio = make("input", { type: "radio", name: "role", value, class: "unseen" });
      radio.checked = value === 0;
      return make("label", {}, radio, picture, name);
    };
    const markers = [0, 1].map((which) => markerOf(about, which));
    sides.replaceChildren(make("legend", {}, "You play"), ...about.roles.map((name, which) => side(which, name, markers[which])),
      side(2, "Random side", make("span", { class: "both" }, markers.map((marker) => marker.cloneNode()))));
    agent.replaceChildren(...about.agents.map((name) => make("option", { value: name }, name)));
    const level = (value, text) => {
      const radio = make("input", { type: "radio", name: "level", value, class: "unseen" });
      radio.checked = value === Math.ceil(about.levels.length / 2);
      return make("label", {}, radio, make("span", {}, text));
    };
    const meant = make("p", { class: "muted", role: "status", id: "level-text" });
    levels.replaceChildren(make("legend", {}, "Level"), ...about.levels.map((_, at) => level(at + 1, at + 1)),
      level(0, "Full strength"), meant);
    levels.onchange = () => { meant.textContent = levelText(about, Number(levels.querySelector(":checked").value)); };
    levels.onchange();
    offerLevels(about);
  };
  const choice = given ? fromPosition(given) : fromStart(page, fill);
  if (given) fill(given.about);
  else choice.fill();
  agent.addEventListener("change", () => offerLevels(choice.about()));
  const begin = async (event) => {
    event.preventDefault();
    page.clearError();
    try {
      const role = Number(sides.querySelector(":checked").value);
      const side = role === 2 ? freshSeed() % 2 : role;
      if (event.submitter?.name === "friend") {
        const { settings } = await choice.start();
        const wanted = { game: choice.about().name, settings, side, time: clock.time() };
        location.hash = `#/match/${(await send("api/matches", wanted, page.signal)).id}`;
        return;
      }
      const level = levels.hidden ? null : Number(levels.querySelector(":checked").value) || null;
      const game = newGame({
        ...await choice.start(), about: choice.about(), side, agent: agent.value, level, time: clock.time(),
      });
      save(game);
      location.hash = `#/play/${game.id}`;
    } catch (error) {
      page.fail(error);
    }
  };
  const friend = page.about && !given ? make("button", { type: "submit", name: "friend" }, "A friend by link") : null;
  root.append(make("h1", { class: "unseen" }, "Play"), make("form", { class: "card-box setup", submit: begin },
    choice.elements, sides, levels, choice.quick, make("div", { class: "actions" }, make("button", { type: "submit", class: "main" }, "Play"), friend),
    make("details", {}, make("summary", {}, "Advanced: opponent, clock, settings"),
      make("div", { class: "fields" }, field("Against", agent), clock.elements), choice.settings ?? null)));
};
