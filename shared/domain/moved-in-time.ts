import type { Ms } from './time.ts';

/** The parts of a value that are times, moved by a number of milliseconds; undefined for a value without times. */
type Move = ((by: Ms, instantAt: (at: Ms) => string) => unknown) | undefined;

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g;

/**
 * The result of a function of an instant, for any instant, without calling it again: worlds are seeded often, and only their times differ.
 * The function is called for two instants that are 1 ms apart. The differences between its results are times: numbers, and instants in
 * text.
 * @param make returns plain JSON
 * @returns a function like `make`; its results share all parts without times, so they must not be changed
 * @throws Error when the two results differ in anything but times
 */
export function movedInTime<T>(make: (now: Ms) => T, now: Ms): (then: Ms) => T {
  const made = make(now);
  const move = moveOf(made, make(now + 1), '');
  return (then) => {
    if (!move) return made;
    const texts = new Map<Ms, string>();
    const instantAt = (at: Ms): string => {
      const known = texts.get(at) ?? new Date(at).toISOString();
      texts.set(at, known);
      return known;
    };
    return move(then - now, instantAt) as T;
  };
}

function moveOf(value: unknown, later: unknown, pointer: string): Move {
  if (value === later) return undefined;
  if (typeof value === 'number' && later === value + 1) return (by) => value + by;
  if (typeof value === 'string' && typeof later === 'string') return moveOfText(value, later, pointer);
  if (!isComposite(value) || !isComposite(later)) throw notATime(pointer);
  const names = Object.keys(value);
  if (names.length !== Object.keys(later).length) throw notATime(pointer);
  const moving = names.flatMap((name) => {
    const move = moveOf(value[name], later[name], `${pointer}/${name}`);
    return move ? [[name, move] as const] : [];
  });
  if (moving.length === 0) return undefined;
  return (by, instantAt) => {
    const moved: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
    for (const [name, move] of moving) moved[name] = move(by, instantAt);
    return moved;
  };
}

/** A text with instants that move, such as a JSON document. */
function moveOfText(text: string, later: string, pointer: string): Move {
  const instants = [...text.matchAll(INSTANT)];
  const laterInstants = [...later.matchAll(INSTANT)];
  if (instants.length !== laterInstants.length) throw notATime(pointer);
  const moving = instants.flatMap(({ 0: instant, index }, position) => {
    const at = Date.parse(instant);
    const movedTo = laterInstants[position]?.[0] ?? '';
    if (movedTo !== instant && Date.parse(movedTo) !== at + 1) throw notATime(pointer);
    return movedTo === instant ? [] : [{ at, from: index, to: index + instant.length }];
  });
  const constant = [...moving.map(({ from }, position) => text.slice(moving[position - 1]?.to ?? 0, from)), text.slice(moving.at(-1)?.to)];
  const move = (by: Ms, instantAt: (at: Ms) => string): string =>
    moving.reduce((moved, { at }, position) => moved + instantAt(at + by) + constant[position + 1], constant[0] ?? '');
  if (move(1, (at) => new Date(at).toISOString()) !== later) throw notATime(pointer);
  return move;
}

const isComposite = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const notATime = (pointer: string): Error =>
  new Error(`${pointer || 'The value'} depends on the instant, but is not a time that moves with it.`);
