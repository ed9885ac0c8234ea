export const byId = (id) => document.getElementById(id);

/** Builds an element; text is always set as text, never as markup. */
export function element(name, { text, className, attributes = {}, children = [] } = {}) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Makes a scrolling element reachable with the keyboard. Such an element needs a name. */
export function scrollable(node, name) {
  node.tabIndex = 0;
  node.setAttribute('role', 'region');
  node.setAttribute('aria-label', name);
  return node;
}
