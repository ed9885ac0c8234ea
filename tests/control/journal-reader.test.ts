import { expect, test } from '@jest/globals';
import { readHops } from '../../control/operations/journal.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from '../ports/a-hop.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const stopping = new AbortController().signal;

async function journaling() {
  const { worlds, control } = createMemoryStore();
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
  const record = (requestId: string, calls: readonly string[] = []): void =>
    control.journal(world, aHop({ requestId, head: JSON.stringify({ requestId, correlationId: 'c', calls }) }));
  let looks = 0;
  const read = (ageMs: number | undefined, onLook = (): void => undefined) => {
    const journalOf: typeof worlds.journalOf = async (...asked) => {
      looks += 1;
      onLook();
      const page = await worlds.journalOf(...asked);
      return { ...page, entries: page.entries.map((entry) => ({ ...entry, ageMs: ageMs ?? entry.ageMs })) };
    };
    return readHops({ ...worlds, journalOf }, world, { limit: 1, stopping });
  };
  return { record, read, looks: () => looks };
}

test('The journal is read as complete when every call of the shown hops has its hop, on the page or not', async () => {
  const { record, read, looks } = await journaling();
  record('callee');
  record('caller', ['callee']);
  expect(await read(undefined)).toMatchObject({ items: [{ requestId: 'caller' }], complete: true, truncated: false });
  expect(looks()).toBe(1);
});

test('The journal is read again while a hop of the last second lacks the hop of one of its calls', async () => {
  const { record, read, looks } = await journaling();
  record('caller', ['callee']);
  const read3 = read(0, () => looks() === 3 && record('callee'));
  expect(await read3).toMatchObject({ complete: true });
  expect(looks()).toBe(3);
});

test('The journal is read once, as incomplete, when an older hop lacks the hop of one of its calls', async () => {
  const { record, read, looks } = await journaling();
  record('caller', ['forgotten']);
  expect(await read(1_000)).toMatchObject({ items: [{ requestId: 'caller' }], complete: false });
  expect(looks()).toBe(1);
});
