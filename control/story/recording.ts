import { isSignedApi } from '../../shared/catalog/apis.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import { type Arrow, sequenceBreathing } from '../../shared/control/sequence.ts';
import { type Breathe, eachBreathing } from '../../shared/domain/breathe.ts';
import { instant } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { Worlds } from '../../shared/store/ports/estate-store.ts';
import { LOGS } from '../../shared/store/ports/logs.ts';
import { readEvents } from '../journal/timeline.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { swapsOf } from '../swaps/swaps.ts';
import type { OperationRecord } from './record-operation.ts';
import { isRecord } from './references.ts';

/** An event of the source document. */
export interface RecordedEvent {
  /** Position on the bus. */
  readonly order: number;
  readonly name: string;
  /** `order/ord_…` */
  readonly subject: string;
  readonly correlationId: string;
  /** Request id of the hop that published it. */
  readonly hop?: string;
  /** Epoch milliseconds of the rehearsal's clock. */
  readonly at: number;
  readonly object: unknown;
}

/** The source of a story. */
export interface Recording {
  readonly rehearsal: string;
  /** Sorted by start. */
  readonly arrows: readonly Arrow<JournalRecord>[];
  readonly operations: readonly OperationRecord[];
  readonly events: readonly RecordedEvent[];
  /** JSON of the data that the rehearsal began with. */
  readonly seed: string;
  /** When the scenario has to begin. Absent: at any time. */
  readonly startsAt?: string;
}

/** @throws Problem not_recordable when the recording lacks a part, or the rehearsal did not begin with the data of the estate */
export async function readRecording(
  worlds: Worlds,
  { rehearsal, world }: { readonly rehearsal: string; readonly world: World },
  breathe: Breathe,
) {
  const { entries, discardedTo } = await worlds.journalOf(world);
  const operations = (await worlds.entries(world, 'operations', { limit: LOGS.operations.most })).toReversed();
  if (discardedTo > 0) throw incomplete('The journal has discarded the oldest hops of this rehearsal.');
  if ((operations[0]?.number ?? 1) > 1)
    throw incomplete(`The rehearsal has more than ${LOGS.operations.most} operations of the control plane.`);
  const beginning = await otherBeginning(worlds, world);
  if (beginning !== undefined)
    throw incomplete(`The rehearsal ${beginning}, and a scenario begins with the data of the estate.`, OTHER_REMEDY);
  const { arrows } = await sequenceBreathing(await eachBreathing(entries, breathe, recordOf), isSignedApi, breathe);
  const cut = arrows.find(({ hop, kind }) => kind === 'request' && isCut(hop.request));
  if (cut) throw incomplete(`The request ${cut.hop.method} ${cut.hop.path} is larger than the journal keeps.`);
  const performed = await eachBreathing(operations, breathe, ({ json }) => JSON.parse(json) as OperationRecord);
  const cutOperation = performed.find(({ body }) => isCut(body));
  if (cutOperation) throw incomplete(`The request of the operation ${cutOperation.id} is larger than a story keeps.`);
  const recording: Recording = {
    rehearsal,
    arrows,
    operations: performed,
    events: await eachBreathing(await readEvents(worlds, world), breathe, ({ order, hop, json }) =>
      eventOf(order, hop, JSON.parse(json) as EstateEvent),
    ),
    seed: JSON.stringify(await worlds.seed(world)),
  };
  const { startsAt } = await requireCurrent(worlds, world);
  return {
    ...recording,
    startsAt: startsAt === undefined ? startOfStaff(recording.events) : instant(startsAt),
    events: recording.events.filter(({ name }) => !name.startsWith('ext.')),
  };
}

/** The staff of a store works while the store is open, so what is collected happens at the times of the recording only. */
function startOfStaff(events: readonly RecordedEvent[]): string | undefined {
  const [first] = events;
  return first && events.some(({ object }) => isRecord(object) && object['collection'] !== undefined) ? instant(first.at) : undefined;
}

const isCut = (body: unknown): boolean => isRecord(body) && body['truncated'] === true;

/** How the world began, if a scenario cannot begin like that. @returns undefined if it can */
async function otherBeginning(worlds: Worlds, world: World): Promise<string | undefined> {
  const view = await requireCurrent(worlds, world);
  if (view.lineage !== undefined) return 'continues a fork or a snapshot';
  if ((await swapsOf(worlds, world)).length > 0) return 'uses real systems';
  return (await worlds.ownData(world)) ? 'began with its own data' : undefined;
}

const eventOf = (order: number, hop: string | undefined, { type, subject, correlationid, time, data }: EstateEvent): RecordedEvent => ({
  order,
  hop,
  name: nameOf(type),
  subject,
  correlationId: correlationid,
  at: Date.parse(time),
  object: data.object,
});

const REMEDY = 'Reset the rehearsal, repeat the part that you need, and record that.';
const OTHER_REMEDY = 'Repeat what you need in a new rehearsal, and record that.';

export const incomplete = (sentence: string, remedy = REMEDY): Problem => new Problem('not_recordable', `${sentence} ${remedy}`);
