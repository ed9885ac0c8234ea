import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type ChangingFault,
  type Fault,
  FaultInput,
  isChanging,
  type Match,
  OUTSIDE,
  strikesClientsOnly,
  targetsOf,
} from '../catalog/control/faults.ts';
import { nameOf } from '../catalog/event-names.ts';
import { durationMs } from '../domain/duration.ts';
import { type Ms, NEVER } from '../domain/time.ts';
import type { World } from '../domain/world.ts';
import { pause } from '../process/waiting.ts';
import type { FaultRule, FaultStore } from '../store/ports/faults.ts';
import type { Directory } from '../store/ports/rehearsals.ts';

export interface ActiveFault extends FaultInput {
  readonly name: string;
}

/** A fault that changes what clients get. */
export interface ActiveChange extends ActiveFault {
  readonly fault: ChangingFault;
}

export const isActiveChange = (rule: ActiveFault): rule is ActiveChange => isChanging(rule.fault);

/** A possible target of a fault. */
export type FaultTarget =
  /** `caller` is an application or `OUTSIDE`; undefined for a signed webhook. */
  | { readonly application: string; readonly api: string; readonly caller: string | undefined }
  /** Name of the event, without prefix. */
  | { readonly event: string; readonly subject: string }
  | { readonly webhook: string; readonly status: string };

function matches(match: Match, target: FaultTarget): boolean {
  const fits = (wanted: string | undefined, is: string | undefined): boolean => wanted === undefined || wanted === is;
  const [kind] = targetsOf(match);
  if ('api' in target) {
    const { application, api, caller } = target;
    return kind === 'call' && fits(match.application, application) && fits(match.api, api) && fits(match.caller, caller);
  }
  if ('event' in target) return kind === 'event' && nameOf(match.event ?? '') === target.event && fits(match.subject, target.subject);
  return kind === 'webhook' && fits(match.webhook, target.webhook) && fits(match.status, target.status);
}

/** Targets of one kind share their candidate rules. There are as many kinds as APIs, types of events and senders of webhooks. */
function kindOf(target: FaultTarget): string {
  if ('api' in target) return `call ${target.application} ${target.api}`;
  return 'event' in target ? `event ${target.event}` : `webhook ${target.webhook}`;
}

const mayMatch = ({ subject: _subject, status: _status, caller: _caller, ...match }: Match, target: FaultTarget): boolean =>
  matches(match, target);

/** The rules of a world at a revision. At revision 0 there are none. */
interface RulesOfWorld {
  readonly world: World;
  readonly revision: number;
}

/** What a fault strikes: the hop of a call, an event, or a webhook by its `webhook-id`. */
export type Struck = { readonly requestId: string } | { readonly eventId: string } | { readonly webhookId: string };

/** Ids have no blanks and no line breaks. */
const lineOf = (struck: Struck): string => Object.entries(struck).flat().join(' ');

function readStruck(line: string): Struck {
  const [member = '', id] = line.split(' ');
  return { [member]: id } as Struck;
}

/** A fault as the control plane answers it. */
export const describeFault = ({ name, json, hits, struck }: FaultRule) => ({
  name,
  ...(JSON.parse(json) as FaultInput),
  hits,
  struck: struck.map(readStruck),
});

export interface StrikeOptions {
  readonly struck: Struck;
  /** Whether `reorder` withholds another message until this one is sent. Then this one is not reordered. */
  readonly overtakes: boolean;
  /** Whether a fault that is about to strike has an effect on the message. A strike without effect does not count. Default: always. */
  readonly hasEffect?: (rule: ActiveFault) => boolean;
}

interface KnownRules {
  readonly revision: number;
  readonly rules: readonly ActiveFault[];
  /** Candidates by `kindOf`, so that the cost of a call does not depend on rules for other targets. */
  readonly about: Map<string, readonly ActiveFault[]>;
}

const NO_RULES: KnownRules = { revision: 0, rules: [], about: new Map() };

export type Faults = ReturnType<typeof createFaults>;

/** How long a process caches the rules of a world, in wall time. */
const REMEMBERED_MS = 5_000;
/** Worlds. More of them have faults only while a client makes and leaves many. */
const MOST_REMEMBERED = 200;

/** The fault rules that a process has cached, once per world and revision. */
export function createFaults(control: FaultStore) {
  const known = new LRUCache<World, KnownRules>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS, ttlAutopurge: true });

  async function current({ world, revision }: RulesOfWorld): Promise<KnownRules> {
    if (revision === 0) return NO_RULES;
    const cached = known.get(world);
    if (cached && cached.revision >= revision) return cached;
    const fetched = await control.faults(world);
    const parsed = { revision: fetched.revision, rules: fetched.rules.map(parseRule), about: new Map() };
    known.set(world, parsed);
    return parsed;
  }

  /** The rules for a target, oldest first. */
  async function matching(of: RulesOfWorld, target: FaultTarget): Promise<readonly ActiveFault[]> {
    const { rules, about } = await current(of);
    if (rules.length === 0) return rules;
    const kind = kindOf(target);
    const found = about.get(kind) ?? rules.filter(({ match }) => mayMatch(match, target));
    about.set(kind, found);
    return found.filter(({ match }) => matches(match, target));
  }

  /** Whether it is the turn of a fault: the first calls or messages may pass, and others by chance. */
  async function isDrawn(world: World, { name, skip = 0, probability = 1, seed = '' }: ActiveFault): Promise<boolean> {
    if (skip === 0 && probability === 1) return true;
    const chance = await control.chance(world, name);
    return chance > skip && drawn(seed, chance) < probability;
  }

  const counts = async (world: World, { name, times }: ActiveFault, struck: Struck): Promise<boolean> =>
    (await control.hit(world, name, lineOf(struck), times)) !== undefined;

  const strikes = async (world: World, fault: ActiveFault, struck: Struck): Promise<boolean> =>
    (await isDrawn(world, fault)) && (await counts(world, fault, struck));

  return {
    rules: async (rules: RulesOfWorld): Promise<readonly ActiveFault[]> => (await current(rules)).rules,
    /** Strikes a call with all of its faults that applications apply before the answer, oldest first, and counts each strike. */
    async strikeAll(rules: RulesOfWorld, target: FaultTarget, struck: Struck): Promise<readonly ActiveFault[]> {
      const found: ActiveFault[] = [];
      for (const rule of await matching(rules, target)) {
        if (!strikesClientsOnly(rule.fault) && (await strikes(rules.world, rule, struck))) found.push(rule);
      }
      return found;
    },
    /** Strikes the access token of a call with the first fault that applies, and counts only this fault. */
    async strikeToken(rules: RulesOfWorld, target: FaultTarget, struck: Struck): Promise<ActiveFault | undefined> {
      for (const rule of await matching(rules, target)) {
        if (rule.fault.kind === 'expired-token' && (await strikes(rules.world, rule, struck))) return rule;
      }
      return undefined;
    },
    /** The faults whose turn it is to change the answer of a client's call, oldest first. They have not struck: `count` counts a strike. */
    async changesOf(rules: RulesOfWorld, target: FaultTarget): Promise<readonly ActiveChange[]> {
      const found: ActiveChange[] = [];
      if (!('api' in target) || target.caller !== OUTSIDE) return found;
      for (const rule of await matching(rules, target)) {
        if (isActiveChange(rule) && (await isDrawn(rules.world, rule))) found.push(rule);
      }
      return found;
    },
    /** Counts a strike. @returns false when the fault has struck often enough, or was deleted */
    count: counts,
    /** Strikes an event or a webhook with the first fault that applies, and counts only this fault. */
    async strikeFirst(rules: RulesOfWorld, target: FaultTarget, options: StrikeOptions): Promise<ActiveFault | undefined> {
      const { overtakes, struck, hasEffect } = options;
      for (const rule of await matching(rules, target)) {
        if (overtakes && rule.fault.kind === 'reorder') continue;
        if (!(await isDrawn(rules.world, rule)) || hasEffect?.(rule) === false) continue;
        if (await counts(rules.world, rule, struck)) return rule;
      }
      return undefined;
    },
  };
}

const parseRule = ({ name, json }: FaultRule): ActiveFault => ({ name, ...FaultInput.parse(JSON.parse(json)) });

/** The n-th pseudo-random number of a seed, at least 0 and below 1. */
const drawn = (seed: string, n: number): number => hash('sha256', `${seed}/${n}`, 'buffer').readUInt32BE(0) / 2 ** 32;

/** Wall time after which a barrier refuses the requests that wait at it. */
const BARRIER_TIMEOUT_MS = 10_000;
/** Wall time between polls of the barrier. */
const BARRIER_LOOK_MS = 5;
/** Polls between checks whether the rehearsal has been reset or deleted. */
const LOOKS_PER_WORLD = 50;

/**
 * Waits for the other parties. Ends early when the fault is removed or replaced, or its rehearsal reset or deleted, because no party can
 * arrive then.
 * @returns false when they did not all arrive in time, or before the process stops
 */
export async function waitAtBarrier(
  { control, directory, stopping }: { control: Pick<FaultStore, 'hits'>; directory: Pick<Directory, 'current'>; stopping: AbortSignal },
  { world, name, parties }: { world: World; name: string; parties: number },
): Promise<boolean> {
  const until = Date.now() + BARRIER_TIMEOUT_MS;
  for (let [arrived, looks] = [1, 1]; ; looks++) {
    const hits = await control.hits(world, name);
    // A replaced fault starts a new count.
    if (hits >= parties || hits < arrived) return true;
    if (looks % LOOKS_PER_WORLD === 0 && !(await directory.current(world))) return true;
    if (Date.now() > until || stopping.aborted) return false;
    arrived = hits;
    await pause(BARRIER_LOOK_MS, stopping);
  }
}

/** Time on the rehearsal's clock after which an event is sent even if none about another object follows. */
const SWAPPED_WITHIN_MS = durationMs('P1D');

/** The instant until which a fault withholds an event or webhook, unless the fault is deleted before. */
export function withheldUntil(fault: Fault, now: Ms): Ms {
  if (fault.kind === 'late') return now + durationMs(fault.by);
  if (isChanging(fault)) return now + SWAPPED_WITHIN_MS;
  return fault.kind === 'reorder' ? now + durationMs(fault.within) : NEVER;
}
