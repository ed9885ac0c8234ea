const KEY = 'touchpoint-exchanges';
const MOST = 50;

/**
 * The exchanges of this tab, newest first. They stay when the page is reloaded and go with the tab. When the storage of the browser is full,
 * the oldest go.
 */
export function createHistory({ storage, isKnown, onChange }) {
  let entries = read({ storage }).filter(isKnown);
  const change = ({ kept, tooBig = false }) => {
    entries = kept;
    onChange({ entries, tooBig });
  };
  return {
    show: () => change({ kept: entries }),
    clear: () => {
      write({ storage, entries: [] });
      change({ kept: [] });
    },
    add: (entry) => {
      for (let kept = [entry, ...entries].slice(0, MOST); kept.length > 0; kept = kept.slice(0, -1)) {
        if (write({ storage, entries: kept })) return change({ kept });
      }
      // The new entry does not fit even alone, so the others stay.
      change({ kept: entries, tooBig: true });
    },
  };
}

/** The storage of this tab; where the browser forbids it, the exchanges are forgotten on a reload. */
export function tabStorage() {
  try {
    sessionStorage.getItem(KEY);
    return sessionStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}

function read({ storage }) {
  try {
    const entries = JSON.parse(storage.getItem(KEY) ?? '[]');
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}

/** @returns whether it fits */
function write({ storage, entries }) {
  try {
    storage.setItem(KEY, JSON.stringify(entries));
    return true;
  } catch {
    return false;
  }
}
