import { nameOf } from '../catalog/event-names.ts';
import { type ActiveFault, createFaults, withheldUntil } from '../control/faults.ts';
import type { World } from '../domain/world.ts';
import { type DueWorkStore, PUBLISH_WITHHELD_EVENT } from '../store/ports/due-work.ts';
import type { FaultStore } from '../store/ports/faults.ts';
import type { Batch, OutboxEntry, WithheldEvent } from '../store/ports/outbox.ts';
import type { Directory, WorldView } from '../store/ports/rehearsals.ts';
import type { EstateEvent } from './envelope.ts';

/** The result of faults on a batch: events to send now, in this order, and events to withhold. */
interface Diverted {
  readonly send: readonly OutboxEntry[];
  readonly withhold: readonly WithheldEvent[];
}

export type Divert = (world: World, batch: Batch) => Promise<Diverted>;

interface Waiting {
  readonly entry: OutboxEntry;
  /** The fault that withholds the event in this batch. Undefined when an earlier batch withheld it. */
  readonly fault?: ActiveFault;
}

/**
 * Applies the faults of events between outbox and bus, so that every consumer and the list of events get the same on any bus. A withheld
 * event becomes due work of its owner, which releases it.
 */
export function createEventFaults(options: { store: DueWorkStore; control: FaultStore; directory: Directory }): Divert {
  const { store, directory } = options;
  const faults = createFaults(options.control);

  /** Events withheld by `reorder` until the next event of the same object, by object. */
  async function waitingIn(world: World, rules: readonly ActiveFault[]): Promise<Map<string, Waiting>> {
    const waiting = new Map<string, Waiting>();
    for (const { name, match, fault } of rules) {
      if (match.event === undefined || fault.kind !== 'reorder') continue;
      for (const { payload } of await store.withheld(world, name)) {
        const entry = payload as OutboxEntry;
        waiting.set(entry.key, { entry });
      }
    }
    return waiting;
  }

  return async (world, { entries, faults: revision }) => {
    const rules = await faults.rules({ world, revision });
    const view = rules.some(({ match }) => match.event !== undefined) ? await directory.current(world) : undefined;
    if (!view) return { send: entries, withhold: [] };
    const send: OutboxEntry[] = [];
    const withheld: WithheldEvent[] = [];
    const waiting = await waitingIn(world, rules);
    for (const entry of entries) {
      const overtaken = waiting.get(entry.key);
      const event = JSON.parse(entry.json) as EstateEvent;
      const target = { event: nameOf(event.type), subject: event.subject };
      const overtakes = overtaken !== undefined;
      const rule = entry.struck
        ? undefined
        : await faults.strikeFirst({ world, revision: view.faults }, target, { overtakes, struck: { eventId: entry.id } });
      if (rule?.fault.kind === 'reorder') {
        waiting.set(entry.key, { entry, fault: rule });
        continue;
      }
      if (rule?.fault.kind === 'late' || rule?.fault.kind === 'withhold') {
        withheld.push(withholding(rule, entry, view));
        continue;
      }
      const copies = rule?.fault.kind === 'duplicate' ? rule.fault.copies : 0;
      send.push(...Array.from({ length: 1 + copies }, () => entry));
      waiting.delete(entry.key);
      if (overtaken && overtaken.entry.id !== entry.id) send.push(overtaken.entry);
    }
    for (const { entry, fault } of waiting.values()) if (fault) withheld.push(withholding(fault, entry, view));
    return { send, withhold: withheld };
  };
}

/** The due work that releases an event: at its time, or when the fault is removed. */
function withholding({ name, fault }: ActiveFault, entry: OutboxEntry, { now, faults }: WorldView): WithheldEvent {
  const { correlationid } = JSON.parse(entry.json) as EstateEvent;
  const at = withheldUntil(fault, now);
  return {
    id: entry.id,
    due: {
      kind: PUBLISH_WITHHELD_EVENT,
      key: entry.id,
      at,
      payload: JSON.stringify(entry),
      correlationId: correlationid,
      hop: entry.hop,
      withheldBy: name,
      withheldAt: faults,
    },
  };
}
