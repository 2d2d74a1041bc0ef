// Elements and texts. External content enters a page only as text.

const SVG = "http://www.w3.org/2000/svg";

const filled = (node, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
};

// Creates an element with attributes and children. Attributes that are false or null are omitted; a function is a
// listener: { click: act }.
export const make = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

// Creates an element of a picture.
export const draw = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

// Creates a button with an action.
export const button = (text, act, attributes = {}) =>
  make("button", { type: "button", click: act, ...attributes }, text);

// Creates a table's rows of names and values.
export const rowsOf = (pairs) => pairs.map(([name, value]) =>
  make("tr", {}, make("td", {}, name), make("td", {}, value)));

// Creates a table that scrolls. From the column `figures` on, the headings are above figures.
export const tableOf = (label, heads, figures, body, id) =>
  make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, make("table", { class: "lines", id }, make("thead", {},
    make("tr", {}, heads.map((name, at) => make("th", { scope: "col", class: at >= figures ? "right" : null }, name)))), body));

// Shows children in a dialog with a button that closes it.
export const showDialog = (label, attributes, ...children) => {
  const dialog = make("dialog", { "aria-label": label, ...attributes }, children, make("form", { method: "dialog" }, make("button", {}, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
};

export const movesList = () => make("ol", { class: "history", "aria-label": "Moves", tabindex: 0 });
