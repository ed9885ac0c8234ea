import * as declared from '../../shared/catalog/control/operations/journal.ts';
import * as sequences from '../../shared/catalog/control/operations/sequences.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import { type Breathe, eachBreathing, inOneSlice } from '../../shared/domain/breathe.ts';
import type { World } from '../../shared/domain/world.ts';
import { pause } from '../../shared/process/waiting.ts';
import type { JournalAsk, JournalReader } from '../../shared/store/ports/journal.ts';
import { matchInOrder, matchStrictly } from '../journal/sequence.ts';
import { readTimeline } from '../journal/timeline.ts';
import { operate } from '../operate.ts';
import { beyondTheEnd } from '../position.ts';

export const readJournal = operate(declared.readJournal)(({ query: { bodies, ...ask } }, { world, worlds, stopping, inSlices, gone }) =>
  readHops(worlds, world, { ...ask, bodies: bodies === 'true', stopping }, (run) => inSlices(gone, run)),
);

export const readHop = operate(declared.readHop)(async ({ params }, { world, worlds }) => {
  const { requestId = '' } = params;
  const hop = await worlds.hop(world, requestId);
  if (!hop) throw notFound('hop', requestId);
  return recordOf(hop);
});

export const verifySequence = operate(sequences.verifySequence)(({ body }, { world, worlds, inSlices, gone }) => {
  const { sequence, correlationId, strict } = body;
  return inSlices(gone, async (breathe) => {
    const { happenings, truncated } = await readTimeline(worlds, world, correlationId, breathe);
    const { steps, mismatch } = await (strict ? matchStrictly : matchInOrder)(sequence, happenings, breathe);
    return { holds: mismatch === undefined, steps: [...steps], mismatch, truncated };
  });
});

/** Wall time within which every process writes its hop of a request. A hop that is still missing then never arrives. */
const LATEST_MS = 1_000;
const POLL_MS = 20;

/**
 * Reads the newest hops, or the oldest after a sequence. Waits for hops of recent calls, so that a request is complete as soon as it is answered.
 * @throws Problem validation_failed for a sequence that the rehearsal has not reached
 */
export async function readHops(
  worlds: JournalReader,
  world: World,
  { stopping, ...ask }: JournalAsk & { readonly stopping: AbortSignal },
  inSlices: <T>(run: (breathe: Breathe) => Promise<T>) => Promise<T> = (run) => run(inOneSlice),
): Promise<{ items: JournalRecord[]; next: number; complete: boolean; truncated: boolean }> {
  for (;;) {
    const { entries, discardedTo, newest } = await worlds.journalOf(world, ask);
    if (ask.after !== undefined && ask.after > newest) throw beyondTheEnd('hop', { after: ask.after, last: newest, pointer: '?after' });
    const shown = new Set(entries.map(({ requestId }) => requestId));
    const elsewhere = new Set<string>();
    const hops = await inSlices((breathe) =>
      eachBreathing(entries, breathe, (entry) => {
        const record = recordOf(entry);
        for (const call of record.calls) if (!shown.has(call)) elsewhere.add(call);
        return { ageMs: entry.ageMs, record };
      }),
    );
    const journaled = elsewhere.size === 0 ? elsewhere : await worlds.journaled(world, [...elsewhere]);
    const isMissing = (call: string): boolean => elsewhere.has(call) && !journaled.has(call);
    const marked = await inSlices((breathe) =>
      eachBreathing(elsewhere.size === journaled.size ? [] : hops, breathe, ({ ageMs, record: { calls } }) => ({
        ageMs,
        isIncomplete: calls.some(isMissing),
      })),
    );
    const incomplete = marked.filter(({ isIncomplete }) => isIncomplete);
    const mayCome = incomplete.some(({ ageMs }) => ageMs < LATEST_MS);
    if (!mayCome || stopping.aborted) {
      const items = hops.map(({ record }) => record);
      return { items, next: items.at(-1)?.sequence ?? newest, complete: incomplete.length === 0, truncated: discardedTo > 0 };
    }
    await pause(POLL_MS, stopping);
  }
}
