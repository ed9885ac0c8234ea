import type { Owner } from '../../catalog/applications.ts';
import { type ConversionChange, FORMATS, type ForeignWorld, type FormatsStore, reasonAgainst } from '../ports/world-formats.ts';
import type { RedisAnnouncements } from './announcements.ts';
import type { Argument, RedisAccess } from './connection.ts';
import { indexMember, listed, objectRecord } from './formats.ts';
import { partsOf } from './keys.ts';
import type { RedisLifetimes } from './lifetimes.ts';

interface RedisFormatsOptions extends RedisAccess {
  readonly announcements: Pick<RedisAnnouncements, 'announce'>;
  readonly lifetimes: Pick<RedisLifetimes, 'all'>;
}

/** The note of a refusal: the version of the release that refused the world, and the reason. A release with another version examines the world again. */
const noteOf = (reason: string): string => `${FORMATS} ${reason}`;
const reasonIn = (note: string): string | undefined => (note.startsWith(`${FORMATS} `) ? note.slice(`${FORMATS} `.length) : undefined);

/** A command on a key of an application, with the two arguments of `HSET`, `ZADD`, `HDEL` or `ZREM`. */
function commandOf(change: ConversionChange): readonly Argument[] {
  const { application, name, id } = change;
  if (change.of === 'object') return ['HSET', application, `o:${name}`, id, objectRecord(change)];
  if (change.of === 'unique') return [change.isAdded ? 'HSET' : 'HDEL', application, `u:${name}`, change.value, id];
  const member = indexMember(change.value, change.order, id);
  return change.isAdded ? ['ZADD', application, `i:${name}`, 0, member] : ['ZREM', application, `i:${name}`, member, ''];
}

const versionIn = (formats: string): number | undefined => (formats === '' ? undefined : Number(formats));

export function createRedisFormats({ connection, keys, announcements, lifetimes }: RedisFormatsOptions): FormatsStore {
  async function foreignOf(rehearsal: string): Promise<ForeignWorld | undefined> {
    const [id, version = '', used, note = '', stamp = ''] = (await connection.run(
      'foreign',
      keys.rehearsal(rehearsal),
      [],
    )) as readonly string[];
    if (id === undefined) return undefined;
    const formats = versionIn(version);
    const refused = reasonAgainst({ formats }) ?? reasonIn(note);
    return { rehearsal, world: `${rehearsal}~${id}`, formats, used: used === '1', stamp, refused };
  }
  return {
    foreign: async () =>
      (await Promise.all((await lifetimes.all()).map(({ rehearsal }) => foreignOf(rehearsal)))).filter((one) => one !== undefined),
    foreignOf,
    adopt: async ({ rehearsal, world, formats, stamp }, { changes, seed }) => {
      const adopted = await connection.run('adopt', keys.rehearsal(rehearsal), [
        partsOf(world).id,
        formats ?? '',
        stamp,
        seed === undefined ? '' : JSON.stringify(seed),
        ...listed(changes, commandOf),
      ]);
      if (adopted !== 1) return false;
      // A relay that looked at the world before may have dropped its announcement.
      const unsent = await connection.idempotently((client) => client.smembers(`${keys.world(world)}:unsent`));
      for (const application of unsent) await announcements.announce(application as Owner, world);
      return true;
    },
    refuse: async ({ rehearsal, world }, reason) =>
      void (await connection.run('refuse', keys.rehearsal(rehearsal), [partsOf(world).id, noteOf(reason)])),
  };
}
