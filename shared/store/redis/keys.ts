import type { Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';

/**
 * The keys of the Redis adapter. Only this adapter and its Lua read and write them; `formats.ts` has the format of the records.
 *
 * `R` is `<prefix>{<rehearsal>}`, `W` is `R~<ULID>`: the world's name, with its rehearsal in braces. The braces put all keys of a
 * rehearsal into one slot of a Redis Cluster, so that a script may touch them all and one read finds the current world.
 *
 *   <prefix>worlds       zset   world -> earliest wall time of its drop, unless it is current by then; `inf` while it is current
 *   L                    is `<prefix>{.rehearsals}`: the rehearsals and their lifetimes
 *   L:ends               zset   rehearsal -> wall time of its end unless it is used before, `inf` when it is kept; has every rehearsal
 *   L:used               zset   rehearsal -> wall time of its last use; without those that are being opened or removed
 *   L:idle               hash   rehearsal -> wall time without use after which it ends, or `kept`
 *   L:sweep              string lease, a few seconds long, of the process that removes ended rehearsals
 *   U                    is `<prefix>{.runs}`: hash seq, removedBy (operation of the last removal)
 *   U:order              zset   run by the order of beginning
 *   U:versions, U:heads, U:bodies, U:held  hash  run -> version, what a list shows (JSON), the rest (JSON), wall time of the end of
 *                               its lease (absent: the run has ended)
 *   S                    is `<prefix>{.snapshots}`: hash removedBy (operation of the last removal)
 *   S:ids, S:heads       hash   snapshot -> id of its content, what a list shows (JSON)
 *   S:<id>               string the compressed file
 *   <prefix>unsent:<app> zset   world that may have unpublished events of the application -> wall time of the announcement
 *   <prefix>changed      channel; a message is `<W> <number> <wait>`: the number counts the changes of that world, and due work
 *                               may begin because of it after this wall time in ms (absent: immediately; `quiet`: never)
 *   <prefix>settling     channel; a message is a world: a client waits until it is settled
 *   <prefix>pulse        channel; a message is `<process> <number>`: a process checks with it that messages reach it
 *   R                    hash   ulid (of the current world), credentials (JSON), since (wall time), refused (why the release with a version
 *                               of formats cannot use that world: `<version> <reason>`)
 *   W                    hash   formats (their version; absent in worlds of releases without versions), formatsSeq (seq of the last
 *                               commit of a release with versions), createdAt, flowing (1 or 0),
 *                               clock (flowing: now − wall time; else now), progression (JSON), driver (lease of the driver that
 *                               advances the clock), flowed (whether the clock flowed before that),
 *                               seed and startsAt (`Beginning`; absent: not chosen), revision (of the faults), lineage (`idSource` of
 *                               the world that it continues), origin (the snapshot that it was opened from), removedBy (operation that
 *                               removed its rehearsal), bytes (of text), reference (the last operation that changed reference data),
 *                               tokenGeneration and tokensExpired (instant) of access tokens; absent: no fault made tokens expire,
 *                               counts: seq, order, dueSeq, outSeq, owedSeq, parkSeq, faultSeq, movesSeq, operationsSeq, changes
 *   W:seed               string the data that the world was seeded with (JSON)
 *   W:data               string the own data that the world was seeded with (JSON); absent without
 *   W:keys               set    names of this world's keys of applications, so that dropping it needs no SCAN
 *   W:op:<operation>     string result of an operation, which a repeat gets. It expires after a minute, so no list has these keys
 *   W:ops, W:opslog      hash and list of results that earlier releases wrote. They expire, too
 *   W:due                hash   due key -> due record
 *   W:queue              zset   `<seq, 16 digits>|<due key>` by instant: free items, lowest `(at, seq)` first
 *   W:running            zset   due key by end of its lease, wall time
 *   W:runs               zset   `<token>|<due key>` by end of the lease: runs that the clock started
 *   W:kept               zset   due key by seq: items that faults withhold
 *   W:awaiting           zset   due key by seq: items that await an application, also while they are parked
 *   W:pending            zset   delivery `<application>|<event id>` sorted by when it became pending
 *   W:parked, W:parkings zset `<delivery or due>|<key>` sorted by when it was parked; hash of parked records by the same
 *   W:unsent             set    applications that may have an event in their outbox
 *   W:relays             hash   application -> lease
 *   W:events             stream `<order>-0`, field `e`: outbox entry (JSON), sorted by publication
 *   W:eventsabout        zset   `<id, correlation, subject or type> <value>\0<order, 16 digits>` and `named\0<order>` of events up to the order
 *                               `eventsIndexed` of W, all with score 0: read by lexical range
 *   W:hops, W:anonymous  stream `<sequence>-0`, fields r (request id), c (correlation id), b (bytes), w (wall time), h (JSON of the hop
 *                               without bodies), o (JSON of the bodies; absent: none). W has `hopSeq`, and of each stream
 *                               `…Bytes`, `…DiscardedTo` (highest sequence of a discarded hop) and `…Discarded` (traces)
 *   W:hopsabout, W:anonymousabout zset `<correlation id>\0<sequence, 16 digits>` with score 0: read by lexical range
 *   W:hopids             hash   request id -> sequence of its hop
 *   W:hopstraces, W:anonymoustraces hash correlation id -> summary of its hops in that stream (JSON; see `lua/traces.ts`)
 *   W:hopsbegun, W:anonymousbegun zset correlation id by the first sequence of its trace; W:hopsended, W:anonymousended: by the last
 *   W:hopsfirsts         hash   `<API> <outcome>` -> correlation id of its first trace, which a full journal keeps
 *   W:moves, W:operations, W:verdicts  lists: entries of the logs (JSON), newest first; W has `movesSeq` and so on, the numbers of the newest
 *   W:hopcounts          hash   counts of all hops (see `lua/traces.ts`)
 *   W:faults             zset   names, sorted by when they were set first; W:rules, W:since
 *                               (revision of the last set), W:hits, W:chances, W:struck (what the last hits struck, one per line):
 *                               hashes by name
 *   W:revoked            zset   id of a revoked access token by its end on the rehearsal's clock
 *   W:numbers            hash   name -> its last number (`nextNumber`)
 *   W:<app>:o:<collection>         hash  id -> object record. Its empty field shows that the hash, and so the world, exists
 *   W:<app>:a:<collection>         zset  id by order of creation
 *   W:<app>:u:<collection>.<name>  hash  unique value -> id
 *   W:<app>:i:<collection>.<name>  zset  `<value>\0<order, 16 digits>\0<id>`, all with score 0: read by lexical range
 *   W:<app>:c:<counter>            hash  key -> `field=integer,field=integer`. Its empty field as above
 *   W:<app>:idem                   hash  claim key -> claim record
 *   W:<app>:claims                 zset  claim key by the time until which it is remembered, on the rehearsal's clock; recent claims stay longer
 *   W:<app>:outbox, W:<app>:entries  zset event id by place; hash event id -> outbox entry (JSON)
 *
 * Wall time is Redis's own clock in milliseconds, so that leases do not depend on the clocks of other machines.
 */

/** Keys that a world may have and that `W:keys` leaves out. */
export const WORLD_KEYS = [
  'seed',
  'data',
  'keys',
  'ops',
  'opslog',
  'due',
  'queue',
  'running',
  'runs',
  'kept',
  'awaiting',
  'pending',
  'parked',
  'parkings',
  'unsent',
  'relays',
  'events',
  'eventsabout',
  'hops',
  'hopsabout',
  'anonymous',
  'anonymousabout',
  'hopids',
  'hopstraces',
  'hopsbegun',
  'hopsended',
  'hopsfirsts',
  'hopcounts',
  'moves',
  'operations',
  'verdicts',
  'anonymoustraces',
  'anonymousbegun',
  'anonymousended',
  'faults',
  'rules',
  'since',
  'hits',
  'chances',
  'struck',
  'revoked',
  'numbers',
] as const;

/** Field of each hash of objects or counters. It shows that the world exists, even when no object is found. No id and no key is empty. */
export const PRESENT = '';

/** The keys of one installation. Several may share a Redis under different prefixes. */
export function redisKeys(prefix: string) {
  return {
    worlds: `${prefix}worlds`,
    /** Names of rehearsals have no dot. */
    rehearsals: `${prefix}{.rehearsals}`,
    runs: `${prefix}{.runs}`,
    snapshots: `${prefix}{.snapshots}`,
    changed: `${prefix}changed`,
    pulse: `${prefix}pulse`,
    settling: `${prefix}settling`,
    announced: (application: Owner): string => `${prefix}unsent:${application}`,
    rehearsal: (name: string): string => `${prefix}{${name}}`,
    world: (world: World): string => {
      const { rehearsal, id } = partsOf(world);
      return `${prefix}{${rehearsal}}~${id}`;
    },
    /** The reverse of `world`. */
    worldOf: (key: string): World => key.slice(prefix.length).replace(/^\{(.*)\}~/, '$1~') as World,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;

export function partsOf(world: World): { readonly rehearsal: string; readonly id: string } {
  const at = world.lastIndexOf('~');
  return { rehearsal: world.slice(0, at), id: world.slice(at + 1) };
}
