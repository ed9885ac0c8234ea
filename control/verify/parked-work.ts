import { type Application, applications } from '../../shared/catalog/applications.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { DELIVER_AGAIN, type DueItem } from '../../shared/store/ports/due-work.ts';
import type { Parked } from '../../shared/store/ports/ledger.ts';
import { findings, type InvariantResult } from './invariant.ts';
import { ID, type WorldRecords } from './world-records.ts';

/** Most characters that a violation quotes from an error. */
const MOST_OF_AN_ERROR = 300;

/** Parked work is not done. Each violation names the object that the work is about. */
export function parkedWork(world: WorldRecords): InvariantResult {
  const { check, result } = findings('parked', 'No work is parked: each application has done what it owes');
  const namesOf = objectNames(world);
  for (const { application, kind, key } of world.due) check(true, `due ${application}|${kind}|${key}`);
  for (const one of world.parked) check(false, describeParked(world, one, namesOf));
  return result();
}

/** Work that waits for an unavailable application, and the object that it is about. */
export function awaitedReturns(world: WorldRecords): string[] {
  const namesOf = objectNames(world);
  return world.awaiting.map(({ application, kind, key, payload, awaits }: DueItem) => {
    const whose = titleOf(application);
    if (kind === DELIVER_AGAIN) {
      const { subject, name } = eventNamed(world, key);
      return `${subject}: ${whose}, which has not consumed ${name}, waits for ${titleOf(awaits ?? '')}`;
    }
    const about = namesOf(`${key} ${JSON.stringify(payload)}`) ?? `due ${application}|${kind}|${key}`;
    return `${about}: ${whose}, whose work ${kind} waits for ${titleOf(awaits ?? '')}`;
  });
}

function describeParked(world: WorldRecords, { what, key, error }: Parked, namesOf: ReturnType<typeof objectNames>): string {
  const [application = '', second = '', ...rest] = key.split('|');
  const whose = titleOf(application);
  if (what === 'delivery') {
    const { subject, name } = eventNamed(world, second);
    return `${subject}: ${whose} has not consumed ${name}, which is parked: ${detailOf(error)}`;
  }
  const about = namesOf(rest.join('|')) ?? `due ${key}`;
  return `${about}: the work ${second} of ${whose} is parked: ${detailOf(error)}`;
}

/** An event that is still in the outbox is not listed. */
function eventNamed({ events }: WorldRecords, eventId: string): { readonly subject: string; readonly name: string } {
  const event = events.find(({ id }) => id === eventId);
  return { subject: event?.subject ?? 'event', name: event ? nameOf(event.type) : eventId };
}

const titleOf = (application: string): string => applications[application as Application]?.title ?? application;

/** A problem is parked as JSON. */
function detailOf(error: string): string {
  let text = error;
  try {
    const { detail } = JSON.parse(error) as { readonly detail?: unknown };
    if (typeof detail === 'string') text = detail;
  } catch {}
  return text.slice(0, MOST_OF_AN_ERROR);
}

/** Names the objects whose ids a text contains; undefined when it names none. */
function objectNames({ of, records, objects }: WorldRecords): (text: string) => string | undefined {
  let known: ReadonlyMap<string, string> | undefined;
  const read = (): ReadonlyMap<string, string> => {
    const found = new Map<string, string>();
    for (const type of Object.keys(objects)) for (const { id } of of<{ readonly id: string }>(type)) found.set(id, `${type}/${id}`);
    // The till stores transactions that are not open yet.
    for (const { id } of records<{ readonly id: string }>('pos', 'transactions')) found.set(id, `transaction/${id}`);
    return found;
  };
  return (text) => {
    known ??= read();
    const named = [...new Set([...text.matchAll(ID)].flatMap(([id]) => known?.get(id) ?? []))];
    return named.length > 0 ? named.join(', ') : undefined;
  };
}
