import { signal } from '@preact/signals';
import type { PortalDescription } from '../../services/touchpoint-mock/portal-description.ts';
import type { Sent } from './exchange.ts';
import { parsed } from './json-text.ts';

const KEY = 'touchpoint-exchanges';
const MOST = 50;

/**
 * The exchanges of this tab, newest first. They survive a reload and end with the tab. When the storage of the browser is full,
 * the oldest are dropped.
 */
export function createHistory(portal: PortalDescription) {
  const stored = parsed(read() ?? '[]');
  const entries = signal((Array.isArray(stored) ? stored : []).filter((entry): entry is Sent => isComplete(portal, entry)));
  /** Whether the last exchange was too big to be kept. */
  const tooBig = signal(false);
  /** The entry that is shown in its form. */
  const opened = signal<Sent>();
  return {
    entries,
    tooBig,
    opened,
    clear: (): void => {
      write([]);
      entries.value = [];
      tooBig.value = false;
    },
    add: (entry: Sent): void => {
      opened.value = undefined;
      for (let kept = [entry, ...entries.peek()].slice(0, MOST); kept.length > 0; kept = kept.slice(0, -1)) {
        if (!write(kept)) continue;
        entries.value = kept;
        tooBig.value = false;
        return;
      }
      // The new entry does not fit even alone, so the others stay.
      tooBig.value = true;
    },
  };
}

/** Where the browser forbids the storage, the exchanges are forgotten on a reload. */
function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** @returns whether the entries fit */
function write(entries: readonly Sent[]): boolean {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entries));
    return true;
  } catch (error) {
    return (error as Error).name === 'SecurityError';
  }
}

/** Whether an entry is one that this page can restore: an earlier version may have written the storage. */
function isComplete({ aliases, authorization }: PortalDescription, entry: Partial<Sent> | null): boolean {
  const { alias, caller, selector, body } = entry?.request ?? {};
  return (
    aliases.some(({ name }) => name === alias) &&
    authorization.some(({ name }) => name === caller) &&
    [selector, body].every((text) => typeof text === 'string') &&
    (entry?.answer === undefined ? typeof entry?.failure === 'string' : Array.isArray(entry.answer.headers)) &&
    Number.isFinite(entry?.at)
  );
}
