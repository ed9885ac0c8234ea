import { ulid } from 'ulid';
import { type Owner, owners } from '../../catalog/applications.ts';
import type { Breathe } from '../../domain/breathe.ts';
import { inTurns } from '../../process/waiting.ts';
import { dueKey } from '../ports/due-work.ts';
import type { ApplicationDump, ExportedApplication, ExportedParked, ExportedWorld, WorldData } from '../ports/world-data.ts';
import { isExported } from '../ports/world-data.ts';
import { bytesOfClaim } from './commit.ts';
import { createDueSchedule } from './due-schedule.ts';
import { createMemoryEvents } from './events.ts';
import type { MemoryJournal } from './journal.ts';
import { RevokedTokens } from './revoked-tokens.ts';
import { applicationState, enterIndex, getOr, putObject, unpark, type WorldState } from './state.ts';

/** Rows that are entered before other work gets a turn. */
const ROWS_PER_TURN = 200;

/** Makes a world of seed data, or of an exported world. A long one takes several turns. Nobody sees it before the last one. */
export async function openWorld(rehearsal: string, from: WorldData | ExportedWorld, journal: MemoryJournal): Promise<WorldState> {
  const breathe = inTurns(ROWS_PER_TURN);
  const { data, ...withoutOwnData } = from;
  const exported = isExported(from) ? from : undefined;
  const parked: WorldState['parked'] = new Map();
  const seed: WorldData = exported ? exported.seed : withoutOwnData;
  const events = createMemoryEvents();
  const drawn = seed.beginning?.seed;
  const state: WorldState = {
    rehearsal,
    world: `${rehearsal}~${ulid()}`,
    lineage: exported?.lineage,
    createdAt: new Date().toISOString(),
    seed,
    data,
    origin: exported?.origin,
    clock: flows(from) ? { flowing: true, offset: from.now - Date.now() } : { flowing: false, at: from.now },
    applications: new Map(),
    due: createDueSchedule({
      webhooks: drawn === undefined ? undefined : { seed: drawn, groupOf: events.groupOf },
      onAwaitedEnd: (item) => unpark({ parked }, item),
    }),
    pending: new Set(exported?.pending),
    unsent: drawn === undefined ? undefined : new Map(),
    parked,
    seq: 0,
    dueSeq: exported?.dueSeq ?? 0,
    order: 0,
    bytes: data === undefined ? 0 : JSON.stringify(data).length,
    events,
    journal,
    logs: { moves: [], operations: [], verdicts: [] },
    faults: new Map(exported?.faults.rules.map(({ name, ...fault }) => [name, { ...fault, struck: [] }])),
    faultRevision: exported?.faults.revision ?? 0,
    reference: undefined,
    progression: exported?.progression,
    numbers: new Map(Object.entries(exported?.numbers ?? {})),
    revokedTokens: new RevokedTokens(),
    tokenExpiry: undefined,
    driver: undefined,
  };
  for (const application of owners) {
    const data = from.applications[application];
    if (data) await load(state, application, { dump: data, breathe });
  }
  for (const item of from.due) {
    const record = { attempts: 0, seq: exported ? 0 : ++state.dueSeq, ...item, payload: JSON.stringify(item.payload) };
    state.due.put(dueKey(item.application, item.kind, item.key), record);
  }
  for (const entry of exported?.parked ?? []) loadParked(state, entry);
  for (const event of exported?.events ?? []) {
    const waiting = breathe();
    if (waiting) await waiting;
    state.events.add(event);
    state.bytes += event.json.length;
  }
  for (const hop of exported?.journal ?? []) {
    const waiting = breathe();
    if (waiting) await waiting;
    state.journal.add(hop);
  }
  return state;
}

const flows = (from: WorldData | ExportedWorld): boolean => (isExported(from) ? from.flowing : from.beginning?.startsAt === undefined);

/** Fills an application's maps. Objects keep their order. */
async function load(
  world: WorldState,
  application: Owner,
  { dump, breathe }: { readonly dump: ApplicationDump & ExportedApplication; readonly breathe: Breathe },
): Promise<void> {
  const state = applicationState(world, application);
  for (const [collection, found] of Object.entries(dump.objects)) {
    for (const { id, version, json, order = world.order + 1 } of found) {
      const waiting = breathe();
      if (waiting) await waiting;
      putObject(state, collection, { id, version, json, order });
      world.order = Math.max(world.order, order);
      world.bytes += json.length;
    }
  }
  for (const [name, values] of Object.entries(dump.unique)) state.unique.set(name, new Map(Object.entries(values)));
  for (const [name, entries] of Object.entries(dump.index)) {
    const collection = name.slice(0, name.indexOf('.'));
    for (const [value, id] of entries) {
      const waiting = breathe();
      if (waiting) await waiting;
      enterIndex(state, name, { value, id, order: state.objects.get(collection)?.get(id)?.order ?? 0 });
    }
  }
  for (const [name, keys] of Object.entries(dump.counters)) {
    const counter = getOr(state.counters, name, () => new Map());
    for (const [key, fields] of Object.entries(keys)) counter.set(key, new Map(Object.entries(fields)));
  }
  for (const { key, done, ...claim } of dump.claims ?? []) {
    const waiting = breathe();
    if (waiting) await waiting;
    const record = { ...claim, token: undefined, leaseUntil: Date.now(), done };
    state.claims.set(key, record);
    world.bytes += bytesOfClaim(record);
  }
  for (const entry of dump.outbox ?? []) {
    state.outbox.set(entry.id, entry);
    world.unsent?.set(entry.id, application);
    world.bytes += entry.json.length;
  }
}

function loadParked({ parked }: WorldState, { item, ...shown }: ExportedParked): void {
  const record = item && { ...item, payload: JSON.stringify(item.payload), at: shown.at, seq: 0, attempts: 0 };
  parked.set(`${shown.what}|${shown.key}`, { shown, item: record });
}
