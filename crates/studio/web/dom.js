// Elements and texts. What comes from elsewhere reaches a page only as text.

// An element with its attributes and what is in it. Attributes that are false or null are left out, a
// function is a listener: { click: act }.
export const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
};

// A button that does something.
export const button = (text, act, attributes = {}) =>
  make("button", { type: "button", click: act, ...attributes }, text);

// A table's rows of names and values.
export const rowsOf = (pairs) => pairs.map(([name, value]) =>
  make("tr", {}, make("td", {}, name), make("td", {}, value)));
