import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const STORED = 'estate.single-keys';
/** After `g`, the second key must follow within this time. */
const SEQUENCE_MS = 1_500;

/** Whether single keys act. Speech input types them by accident, so a user can switch them off. */
export const singleKeys = signal(localStorage.getItem(STORED) !== 'off');

export function switchSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem(STORED, on ? 'on' : 'off');
}

type KeyMap = Readonly<Record<string, () => void>>;
const maps = new Set<() => KeyMap>();
let sequence = '';
let ending: ReturnType<typeof setTimeout> | undefined;

/** Binds keys while the component is shown: `useKeys({ '[': previous, 'g a': openActivity })`. */
export function useKeys(keys: KeyMap): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const map = () => latest.current;
    maps.add(map);
    return () => void maps.delete(map);
  }, []);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

interface Collecting {
  readonly text: string;
  readonly cancel: () => void;
}

let collecting: Collecting | undefined;

/** Keeps the keys that are typed while the code of a field loads, so that they are not lost and trigger nothing. @param cancel called for Escape */
export function collectTyping(cancel: () => void): void {
  collecting ??= { text: '', cancel };
}

/** Ends the collecting. @returns what was typed */
export function collectedTyping(): string {
  const text = collecting?.text ?? '';
  collecting = undefined;
  return text;
}

function collect(event: KeyboardEvent, { text, cancel }: Collecting): void {
  const isCharacter = [...event.key].length === 1;
  if (event.ctrlKey || event.metaKey || event.altKey || !(isCharacter || ['Backspace', 'Enter', 'Escape'].includes(event.key))) return;
  event.preventDefault();
  if (event.key === 'Escape') {
    collecting = undefined;
    cancel();
  } else if (isCharacter) collecting = { text: text + event.key, cancel };
  else if (event.key === 'Backspace') collecting = { text: [...text].slice(0, -1).join(''), cancel };
}

export function startKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    if (collecting) return collect(event, collecting);
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      return actionFor('Ctrl k')?.();
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && isField(event.target)) return (event.target as HTMLElement).blur();
    // A list of choices takes no "/", so the filter can follow a choice.
    const isTyped = isField(event.target) && !(event.key === '/' && event.target instanceof HTMLSelectElement);
    if (isTyped || document.querySelector('dialog[open], :popover-open')) return;
    if (!singleKeys.peek() && event.key !== 'Escape') return;
    const run = actionFor(event.key);
    if (!run) return;
    event.preventDefault();
    run();
  });
}

function actionFor(key: string): (() => void) | undefined {
  const name = sequence === '' ? key : `${sequence} ${key}`;
  sequence = '';
  clearTimeout(ending);
  const bound = [...maps].reverse().map((map) => map());
  const found = bound.find((map) => name in map);
  if (found) return found[name];
  if (!bound.some((map) => Object.keys(map).some((one) => one.startsWith(`${name} `)))) return undefined;
  sequence = name;
  ending = setTimeout(() => {
    sequence = '';
  }, SEQUENCE_MS);
  return () => {};
}

/** Moves the focus among the rows of the page's list: links with `data-row`. */
export function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent !== null);
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const start = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute('aria-current'));
  const next = rows[focused < 0 && start < 0 ? 0 : Math.min(Math.max(start + step, 0), rows.length - 1)];
  next?.focus();
}

/** Moves the focus to the filter of the page: the field with `data-filter`. @returns false where there is none */
export function focusFilter(): boolean {
  const filter = document.querySelector<HTMLElement>('[data-filter]');
  filter?.focus();
  return filter !== null;
}
