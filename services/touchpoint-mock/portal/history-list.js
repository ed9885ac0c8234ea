import { byId, element } from './elements.js';
import { createHistory, tabStorage } from './history.js';
import { outcomeBadge } from './response-view.js';
import { clockTime } from './times.js';

/** The history as a list. Each entry opens its exchange. */
export function setUpHistory({ portal, open }) {
  const parts = new Map();
  const list = byId('history');
  const history = createHistory({
    storage: tabStorage(),
    isKnown: (entry) => isComplete({ portal, entry }),
    onChange: ({ entries, tooBig }) => {
      byId('history-count').textContent = entries.length === 0 ? '' : String(entries.length);
      byId('history-empty').hidden = entries.length > 0;
      byId('history-clear').hidden = entries.length === 0;
      byId('history-too-big').hidden = !tooBig;
      showEntries(entries);
    },
  });
  /** Leaves the parts of known entries where they are, so that none loses the focus. */
  function showEntries(entries) {
    for (const [entry, node] of parts) {
      if (entries.includes(entry)) continue;
      node.remove();
      parts.delete(entry);
    }
    for (const entry of entries.toReversed()) {
      if (parts.has(entry)) continue;
      parts.set(entry, entryPart({ entry, portal, onOpen: () => choose(entry) }));
      list.prepend(parts.get(entry));
    }
  }
  function choose(entry) {
    mark(entry);
    open(entry);
  }
  function mark(opened) {
    for (const [entry, node] of parts) {
      if (entry === opened) node.firstChild.setAttribute('aria-current', 'true');
      else node.firstChild.removeAttribute('aria-current');
    }
  }
  byId('history-clear').addEventListener('click', () => {
    history.clear();
    byId('history-title').closest('summary').focus();
  });
  history.show();
  return {
    add: (entry) => {
      mark(undefined);
      history.add(entry);
    },
  };
}

/** Whether an entry is one that this page can restore: an earlier version may have written the storage. */
function isComplete({ portal, entry }) {
  const { alias, caller, selector, body } = entry?.request ?? {};
  return (
    portal.aliases.some(({ name }) => name === alias) &&
    portal.authorization.some(({ name }) => name === caller) &&
    [selector, body].every((text) => typeof text === 'string') &&
    (entry.answer === undefined ? typeof entry.failure === 'string' : Array.isArray(entry.answer.headers)) &&
    Number.isFinite(entry.at)
  );
}

function entryPart({ entry, portal, onOpen }) {
  const { request, at, durationMs } = entry;
  const { title } = portal.cases.find((fixture) => fixture.case === request.selector) ?? {};
  const button = element('button', {
    className: 'entry',
    attributes: { type: 'button' },
    children: [
      element('time', { text: clockTime(at), attributes: { datetime: new Date(at).toISOString() } }),
      element('span', { className: 'case-name', text: nameOf(request) }),
      outcomeBadge(entry),
      element('span', { className: 'entry-title', text: title ?? `unknown case, ${request.alias}` }),
      element('span', { className: 'duration', text: `${durationMs} ms` }),
    ],
  });
  button.addEventListener('click', onOpen);
  return element('li', { children: [button] });
}

function nameOf({ address, selector }) {
  if (address === 'scenario') return `/caso${selector}`;
  return selector === '' ? 'no selector' : selector;
}
