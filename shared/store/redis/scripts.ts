import { createHash } from 'node:crypto';
import { clockScripts } from './lua/clock.ts';
import { commitScript } from './lua/commit.ts';
import { controlScripts } from './lua/control.ts';
import { dueWorkScripts } from './lua/due-work.ts';
import { eventScripts } from './lua/events.ts';
import { journalScripts } from './lua/journal.ts';
import { journalReads } from './lua/journal-reads.ts';
import { ledgerScripts } from './lua/ledger.ts';
import { lifetimeScripts } from './lua/lifetimes.ts';
import { objectScripts } from './lua/objects.ts';
import { outboxScripts } from './lua/outbox.ts';
import { scriptOf } from './lua/prelude.ts';
import { rehearsalScripts } from './lua/rehearsals.ts';
import { requestScripts } from './lua/requests.ts';
import { runScripts } from './lua/runs.ts';
import { snapshotScripts } from './lua/snapshots.ts';

/**
 * The Lua of the Redis adapter; `keys.ts` and `formats.ts` describe the data. A script runs alone and cannot be rolled back, so each
 * checks everything before it writes anything. `KEYS[1]` is the world, or the key that a script's comment names. All other keys of the
 * world derive from it and share its slot. `ARGV[1]` is the channel for changes; `arg()` takes the other arguments one by one.
 *
 * A script that would do harm when executed twice takes an operation id and answers a repeat from `W:op:<operation>`: a reply can be lost after
 * its effect, and an abandoned request may still arrive. Refusals are remembered as well.
 */
const SCRIPTS = {
  ...commitScript,
  ...objectScripts,
  ...requestScripts,
  ...dueWorkScripts,
  ...outboxScripts,
  ...eventScripts,
  ...journalScripts,
  ...journalReads,
  ...rehearsalScripts,
  ...lifetimeScripts,
  ...clockScripts,
  ...ledgerScripts,
  ...controlScripts,
  ...runScripts,
  ...snapshotScripts,
} as const;

export type ScriptName = keyof typeof SCRIPTS;

export interface Script {
  readonly name: ScriptName;
  readonly source: string;
  readonly sha: string;
}

/** Scripts that run when Redis is full: they free memory or finish started work, and add no more than a note. Redis refuses the others before they start. */
const ON_A_FULL_STORE: ReadonlySet<ScriptName> = new Set<ScriptName>([
  'remove',
  'adopt',
  'refuse',
  'drop',
  'use',
  'beginRemoval',
  'endRemoval',
  'ended',
  'scheduleDrop',
  'markCurrent',
  'release',
  'releaseDue',
  'requeue',
  'drain',
  'releaseClock',
  'renewClock',
  'removeFault',
  'withdraw',
  'renewRun',
  'removeRun',
  'removeSnapshot',
  'markPresent',
]);

const prepare = (name: ScriptName, body: string): Script => {
  const source = `${ON_A_FULL_STORE.has(name) ? '#!lua flags=allow-oom\n' : ''}${scriptOf(body)}`;
  return { name, source, sha: createHash('sha1').update(source).digest('hex') };
};

export const scripts = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, body]) => [name, prepare(name as ScriptName, body)]),
) as Readonly<Record<ScriptName, Script>>;
