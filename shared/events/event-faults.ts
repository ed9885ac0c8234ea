import type { Application } from '../catalog/applications.ts';
import { nameOf } from '../catalog/event-names.ts';
import { allEvents } from '../catalog/events.ts';
import { subscribersOf } from '../catalog/subscriptions.ts';
import { changedEvent, drawFrom } from '../contract/drift/drift.ts';
import { type ActiveChange, type ActiveFault, createFaults, isActiveChange, withheldUntil } from '../control/faults.ts';
import type { World } from '../domain/world.ts';
import { type DueWorkStore, PUBLISH_WITHHELD_EVENT } from '../store/ports/due-work.ts';
import type { FaultStore } from '../store/ports/faults.ts';
import { type Batch, type DeliveryStore, deliveryKey, type OutboxEntry, type WithheldEvent } from '../store/ports/outbox.ts';
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
 * event becomes due work of its owner, which releases it. Only clients get a changed event: its subscribers get the original as due work.
 */
export function createEventFaults(options: { store: DueWorkStore & DeliveryStore; control: FaultStore; directory: Directory }): Divert {
  const { store, directory } = options;
  const faults = createFaults(options.control);

  /** Events that a fault withheld in earlier batches until another one is sent. */
  const withheldBy = async (
    world: World,
    rules: readonly ActiveFault[],
    isOvertaken: (rule: ActiveFault) => boolean,
  ): Promise<Waiting[]> => {
    const names = rules.filter((rule) => rule.match.event !== undefined && isOvertaken(rule)).map(({ name }) => name);
    const found = await Promise.all(names.map((name) => store.withheld(world, name)));
    return found.flat().map(({ payload }) => ({ entry: payload as OutboxEntry }));
  };

  /** Gives the subscribers of a changed event the original. A repetition of the batch finds nothing left to give. */
  async function deliverOriginal({ world, now: at }: WorldView, { id, json, hop }: OutboxEntry, subscribers: readonly Application[]) {
    for (const awaits of subscribers) await store.postpone(world, deliveryKey(awaits, id), { event: { id, json, hop }, at, awaits });
  }

  return async (world, { entries, faults: revision }) => {
    const rules = await faults.rules({ world, revision });
    const view = rules.some(({ match }) => match.event !== undefined) ? await directory.current(world) : undefined;
    if (!view) return { send: entries, withhold: [] };
    const send: OutboxEntry[] = [];
    const withheld: WithheldEvent[] = [];
    /** Events that wait for the next one of their object, by object. */
    const waiting = new Map((await withheldBy(world, rules, isReorder)).map((one) => [one.entry.key, one]));
    /** Events that wait for the next one of another object. */
    let queue = await withheldBy(world, rules, isSwap);
    for (const entry of entries) {
      queue = queue.filter((one) => one.entry.id !== entry.id);
      const ahead = queue.find((one) => one.entry.key === entry.key);
      if (ahead && !entry.struck) {
        // The events of an object stay in order.
        queue.push({ entry, fault: ahead.fault ?? rules.find(isSwap) });
        continue;
      }
      const overtaken = waiting.get(entry.key);
      const event = JSON.parse(entry.json) as EstateEvent;
      const target = { event: nameOf(event.type), subject: event.subject };
      let changed: string | null | undefined;
      const hasEffect = (rule: ActiveFault): boolean => {
        if (!isActiveChange(rule)) return true;
        if (isSwap(rule)) return queue.length === 0;
        changed = forClients(entry, target.event, rule);
        return changed !== undefined;
      };
      const strike = { overtakes: overtaken !== undefined, struck: { eventId: entry.id }, hasEffect };
      const rule = entry.struck ? undefined : await faults.strikeFirst({ world, revision: view.faults }, target, strike);
      if (rule && isReorder(rule)) {
        waiting.set(entry.key, { entry, fault: rule });
        continue;
      }
      if (rule && isSwap(rule)) {
        queue.push({ entry, fault: rule });
        continue;
      }
      if (rule?.fault.kind === 'late' || rule?.fault.kind === 'withhold') {
        withheld.push(withholding(rule, entry, view));
        continue;
      }
      if (rule && isActiveChange(rule)) {
        await deliverOriginal(view, entry, subscribersOf(target.event));
        send.push({ ...entry, outside: changed, changedBy: rule.name });
      } else {
        const copies = rule?.fault.kind === 'duplicate' ? rule.fault.copies : 0;
        send.push(...Array.from({ length: 1 + copies }, () => entry));
      }
      waiting.delete(entry.key);
      if (overtaken && overtaken.entry.id !== entry.id) send.push(overtaken.entry);
      if (!ahead) send.push(...queue.splice(0).map((one) => one.entry));
    }
    for (const { entry, fault } of [...waiting.values(), ...queue]) if (fault) withheld.push(withholding(fault, entry, view));
    return { send, withhold: withheld };
  };
}

const isReorder = ({ fault }: ActiveFault): boolean => fault.kind === 'reorder';
const isSwap = ({ fault }: ActiveFault): boolean => fault.kind === 'permitted' && fault.change === 'objects-swapped';

/** A changed event as clients get it; null when they do not get it. @returns undefined when the change does not apply to it */
function forClients({ id, json }: OutboxEntry, type: string, { name, seed = name, fault }: ActiveChange): string | null | undefined {
  if (fault.change === 'missing-event') return null;
  const definition = allEvents.find((event) => event.name === type);
  return definition && changedEvent(definition, json, fault.change, drawFrom(`${seed}/${id}`));
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
