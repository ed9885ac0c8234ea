import { nameOf } from '../catalog/event-names.ts';
import type { World } from '../domain/world.ts';
import { type ActiveFault, createFaults, heldUntil } from '../simulation/faults.ts';
import type { Directory, WorldView } from '../store/ports/directory.ts';
import { type DueWorkStore, PUBLISH_WITHHELD_EVENT } from '../store/ports/due-work.ts';
import type { FaultStore } from '../store/ports/faults.ts';
import type { OutboxEntry, WithheldEvent } from '../store/ports/outbox.ts';
import type { EstateEvent } from './envelope.ts';

/** What becomes of a batch: what is sent now, in this order, and what is held instead. */
export interface Diverted {
  readonly send: readonly OutboxEntry[];
  readonly hold: readonly WithheldEvent[];
}

export type Divert = (world: World, batch: readonly OutboxEntry[]) => Promise<Diverted>;

interface Waiting {
  readonly entry: OutboxEntry;
  /** Undefined when it was held before this batch came. */
  readonly fault?: ActiveFault;
}

/**
 * The faults of events. They strike between outbox and bus, so that every consumer, and whoever lists events, sees the same; the
 * bus itself knows nothing of them. What is held becomes due work of the event's owner, which brings it back.
 */
export function createEventFaults(options: { store: DueWorkStore; simulation: FaultStore; directory: Directory }): Divert {
  const { store, directory } = options;
  const faults = createFaults(options.simulation);

  /** Held until the next event of the same aggregate comes, by aggregate. */
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

  return async (world, batch) => {
    const view = await directory.current(world);
    const rules = view ? await faults.rules(world, view.faults) : [];
    if (!view || !rules.some(({ match }) => match.event !== undefined)) return { send: batch, hold: [] };
    const send: OutboxEntry[] = [];
    const hold: WithheldEvent[] = [];
    const waiting = await waitingIn(world, rules);
    for (const entry of batch) {
      const overtaken = waiting.get(entry.key);
      if (overtaken) {
        waiting.delete(entry.key);
        send.push(entry, ...(overtaken.entry.id === entry.id ? [] : [overtaken.entry]));
        continue;
      }
      const event = JSON.parse(entry.json) as EstateEvent;
      const target = { event: nameOf(event.type), subject: event.subject };
      const rule = entry.struck ? undefined : await faults.first(world, view.faults, target);
      switch (rule?.fault.kind) {
        case 'duplicate':
          send.push(...Array.from({ length: 1 + rule.fault.copies }, () => entry));
          break;
        case 'reorder':
          waiting.set(entry.key, { entry, fault: rule });
          break;
        case 'late':
        case 'withhold':
          hold.push(withhold(rule, entry, view));
          break;
        default:
          send.push(entry);
      }
    }
    for (const { entry, fault } of waiting.values()) if (fault) hold.push(withhold(fault, entry, view));
    return { send, hold };
  };
}

/** The due work that brings an event back: at its time, or when the fault is gone. */
function withhold({ name, fault }: ActiveFault, entry: OutboxEntry, { now, faults }: WorldView): WithheldEvent {
  const { correlationid } = JSON.parse(entry.json) as EstateEvent;
  const at = heldUntil(fault, now);
  const held = { withheldBy: name, withheldAt: faults };
  return {
    id: entry.id,
    due: { kind: PUBLISH_WITHHELD_EVENT, key: entry.id, at, payload: JSON.stringify(entry), correlationId: correlationid, ...held },
  };
}
