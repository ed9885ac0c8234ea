import { signal } from '@preact/signals';
import { collectTyping, Dialog, singleKeys, switchSingleKeys } from '../kit/kit.ts';
import { pages } from './pages.ts';

export const keysShown = signal(false);
export const searchShown = signal(false);

export const closeSearch = (): void => {
  searchShown.value = false;
};

/** The code of the search may have to load first. */
export function openSearch(): void {
  searchShown.value = true;
  collectTyping(closeSearch);
}

const KEYS: readonly (readonly [keys: string, effect: string])[] = [
  ['Ctrl K', 'Search for anything, also from a field'],
  ['/', 'Filter the list; search on a page without a filter'],
  ['j k ↓ ↑', 'Next and previous row'],
  ['Enter', 'Open'],
  ['Esc', 'Back to the list'],
  ['[ ]', 'Previous and next hop of a trace'],
  ['t', 'Menu of the clock: move, settle, verify'],
  ['.', 'Pause new rows, or show them'],
  ['?', 'This list'],
];

/** The list of keys, and the switch for users who cannot use single keys. */
export function Keys() {
  if (!keysShown.value) return null;
  const ofPages = pages.flatMap(({ key, title }) => (key === undefined ? [] : [[`g ${key}`, title] as const]));
  return (
    <Dialog title="Keys" onClose={() => (keysShown.value = false)}>
      <dl class="pairs">
        {[...ofPages, ...KEYS].map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={singleKeys.value} onChange={({ currentTarget }) => switchSingleKeys(currentTarget.checked)} />{' '}
        Single keys act
      </label>
    </Dialog>
  );
}
