import type { z } from 'zod';
import { apis, isSignedApi } from '../../shared/catalog/apis.ts';
import type { Explanation } from '../../shared/catalog/control/operations/explanations.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import { type Message, sequenceBreathing } from '../../shared/control/sequence.ts';
import { eachBreathing } from '../../shared/domain/breathe.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { DueItem } from '../../shared/store/ports/due-work.ts';
import type { OutboxEntry } from '../../shared/store/ports/outbox.ts';
import { withheldEvent } from '../events/withheld.ts';
import type { ExplainScope, Subject } from './subject.ts';
import { applicationTitle, callTitle } from './words.ts';

type Cause = NonNullable<z.output<typeof Explanation>['cause']>;

/** How the object came into its state. */
export interface Arrival {
  readonly cause: Cause;
  /** Instant on the rehearsal's clock. */
  readonly since: string | undefined;
  /** `by Confirm Order, called by a client`. Empty: unknown. */
  readonly words: string;
  /** What began the trace, unless the cause itself began it. */
  readonly begun?: string;
}

interface Change {
  readonly event: EstateEvent;
  readonly hop: string | undefined;
}

/** The newest events that are searched for the move into the state. */
const MOST_EVENTS = 200;
const OUTSIDE = 'outside-world';

/** @param withheld due work that faults withhold. It may contain the event of the change. */
export async function arrivalOf(
  { worlds, view: { world }, inSlices, gone }: ExplainScope,
  { subject, state, object, type, of: { definition } }: Subject,
  withheld: readonly DueItem[],
): Promise<Arrival> {
  const published = await worlds.newestEventsAbout(world, { by: 'subject', value: subject }, MOST_EVENTS);
  const held = withheld.flatMap((item): Change[] => {
    const event = withheldEvent(item);
    return event?.subject === subject ? [{ event, hop: (item.payload as OutboxEntry).hop }] : [];
  });
  const read = await inSlices(gone, (breathe) =>
    eachBreathing(published, breathe, ({ json, hop }): Change => ({ event: JSON.parse(json) as EstateEvent, hop })),
  );
  const changes = [...read, ...held];
  const newest = changes.toSorted((one, other) => other.event.aggregateversion - one.event.aggregateversion);
  const found = newest.find(({ event: { data } }) => data.object['state'] === state && data.previousState !== state);
  const application = definition.owner;
  if (!found) {
    // The initial data of a rehearsal has no events, and version 1.
    const isInitial = (newest.at(-1)?.event.aggregateversion ?? Number(object['version']) + 1) === 2;
    return isInitial
      ? {
          cause: { kind: 'initial-data', by: 'initial data', application },
          since: String(object['createdAt']),
          words: 'from the initial data',
        }
      : { cause: { kind: 'unknown', by: 'unknown', application }, since: undefined, words: '' };
  }
  const { event, hop } = found;
  const about = {
    application,
    event: event.id,
    correlationId: event.correlationid,
    traceId: event.traceparent?.split('-')[1],
    from: event.data.previousState,
  };
  const { entries } = await worlds.journalOf(world, { correlationId: event.correlationid, bodies: false });
  // A client may use one correlation id for thousands of requests.
  const { arrows } = await inSlices(gone, async (breathe) =>
    sequenceBreathing(await eachBreathing(entries, breathe, recordOf), isSignedApi, breathe),
  );
  const arrow = arrows.find((one) => one.hop.requestId === hop);
  if (!arrow) {
    const words = `with the event ${nameOf(event.type)}`;
    return { cause: { kind: 'unknown', by: 'unknown', ...about }, since: event.time, words };
  }
  const made = messageOf(arrow);
  const root = rootOf(arrow, arrows);
  const begun = root === arrow ? undefined : wordsOf(root, type);
  const cause = { ...about, ...made, application: arrow.hop.application, requestId: hop, begunBy: begun };
  return { cause, since: event.time, words: `by ${wordsOf(arrow, type)}`, begun };
}

/** The hop that began the trace, as far as the journal has it. */
function rootOf(arrow: Message<JournalRecord>, arrows: readonly Message<JournalRecord>[]): Message<JournalRecord> {
  const byId = new Map(arrows.map((one) => [one.hop.requestId, one]));
  const seen = new Set<string>();
  let root = arrow;
  for (let next = byId.get(root.hop.parentId ?? ''); next && !seen.has(next.hop.requestId); next = byId.get(root.hop.parentId ?? '')) {
    seen.add(next.hop.requestId);
    root = next;
  }
  return root;
}

function messageOf({ kind, from, hop: { api } }: Message): Pick<Cause, 'kind' | 'name' | 'by'> {
  const name = api.replace(/^(?:event|due):/, '');
  if (kind === 'event') return { kind, name, by: from };
  if (kind === 'timer') return { kind, name, by: 'clock' };
  if (kind === 'request') return api in apis ? { kind: 'api', name, by: from } : { kind: 'control', name, by: OUTSIDE };
  return { kind, name, by: from };
}

/** `Confirm Order, called by a client`, `the timer expire-draft of the OMS` */
function wordsOf(message: Message<JournalRecord>, type: string): string {
  const { kind, name = '', by } = messageOf(message);
  if (kind === 'timer') return `the timer ${name} of the ${applicationTitle(message.hop.application)}`;
  if (kind === 'event') return `the event ${callTitle(name)}`;
  if (kind === 'control') return `the outside world (${type === 'shipment' ? 'a scan' : callTitle(name)})`;
  if (kind === 'webhook') return `a signed webhook of the ${applicationTitle(by)}`;
  return `${callTitle(name)}, called by ${by === 'client' ? 'a client' : `the ${applicationTitle(by)}`}`;
}
