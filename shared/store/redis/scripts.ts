import { createHash } from 'node:crypto';
import { clockScripts } from './lua/clock.ts';
import { commitScript } from './lua/commit.ts';
import { dueWorkScripts } from './lua/due-work.ts';
import { eventScripts } from './lua/events.ts';
import { journalScripts } from './lua/journal.ts';
import { lifetimeScripts } from './lua/lifetimes.ts';
import { objectScripts } from './lua/objects.ts';
import { outboxScripts } from './lua/outbox.ts';
import { PRELUDE } from './lua/prelude.ts';
import { rehearsalScripts } from './lua/rehearsals.ts';
import { requestScripts } from './lua/requests.ts';
import { simulationScripts } from './lua/simulation.ts';

/**
 * The Lua of the Redis adapter; `redis-formats.ts` says what the keys hold. A script runs alone and cannot be rolled back, so each checks
 * everything before it writes anything. `KEYS[1]` is the world (or the rehearsal, where its name says so); all other keys of the world
 * derive from it and share its slot. `ARGV[1]` is the channel for changes; the others are taken one by one with `arg()`.
 *
 * A script that would do harm twice takes an operation id and answers a repeat from `W:ops`: a reply can be lost after its effect, and
 * a request that was given up may still arrive. So refusals are remembered as well.
 */
const SCRIPTS = {
  ...commitScript,
  ...objectScripts,
  ...requestScripts,
  ...dueWorkScripts,
  ...outboxScripts,
  ...eventScripts,
  ...journalScripts,
  ...rehearsalScripts,
  ...lifetimeScripts,
  ...clockScripts,
  ...simulationScripts,
} as const;

export type ScriptName = keyof typeof SCRIPTS;

export interface Script {
  readonly name: ScriptName;
  readonly source: string;
  readonly sha: string;
}

/**
 * What goes on when Redis is full: it makes room, or ends what was begun, and adds no more than a note. All else is refused before it has
 * written anything.
 */
const ON_A_FULL_STORE: ReadonlySet<ScriptName> = new Set([
  ...(['remove', 'retire', 'use', 'leave', 'left', 'over', 'dropAt', 'rest'] as const),
  ...(['release', 'releaseDue', 'requeue', 'drain', 'releaseClock', 'renewClock', 'removeFault', 'withdraw'] as const),
]);

const prepared = (name: ScriptName, body: string): Script => {
  const source = `${ON_A_FULL_STORE.has(name) ? '#!lua flags=allow-oom\n' : ''}${PRELUDE}${body}`;
  return { name, source, sha: createHash('sha1').update(source).digest('hex') };
};

export const scripts = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, body]) => [name, prepared(name as ScriptName, body)]),
) as Readonly<Record<ScriptName, Script>>;
