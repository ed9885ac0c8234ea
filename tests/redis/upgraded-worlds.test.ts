import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { FORMATS } from '../../shared/store/ports/world-formats.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { bare, FREE_PORTS, MAIN, startEstate, type startEstate as started, started as startProgram } from '../processes/started.ts';
import { runEstate } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../support/redis-server.ts';
import { openWorlds, snapshotText } from '../support/world-files.ts';
import { skipWithoutRedis } from './without-redis.ts';

const LIMIT_MS = 300_000;
const CONTROL = { authorization: 'Bearer demo-control-token', 'content-type': 'application/json' };

interface Listed {
  readonly name: string;
  readonly world?: string;
  readonly trouble?: string;
}
interface Ready {
  readonly status: string;
  readonly degraded?: readonly string[];
}

const rootOf = async (redis: Redis, rehearsal: string) => `estate:{${rehearsal}}~${await redis.hget(`estate:{${rehearsal}}`, 'ulid')}`;
const versionOf = async (redis: Redis, rehearsal: string) => redis.hget(await rootOf(redis, rehearsal), 'formats');
const versionsOf = (redis: Redis) =>
  Promise.all(['default', 'kept-order', 'kept-delivered'].map((rehearsal) => versionOf(redis, rehearsal)));

/** The option of Node for a process that kills itself before one of its scripts that adopt, replace or refuse a world. */
function killedAtWrite(number: number): string {
  const shas = (['adopt', 'switch', 'markCurrent', 'scheduleDrop', 'refuse'] as const).map((name) => scripts[name].sha);
  const code = `import { Redis } from ${JSON.stringify(import.meta.resolve('ioredis'))};
    const send = Redis.prototype.sendCommand;
    let writes = 0;
    Redis.prototype.sendCommand = function (command, ...rest) {
      if (${JSON.stringify(shas)}.includes(String(command.args[0])) && ++writes === ${number}) process.kill(process.pid, 'SIGKILL');
      return send.call(this, command, ...rest);
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

async function redisServer(): Promise<RedisServer & AsyncDisposable> {
  const server = await startRedis();
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}

/** A separate estate process on the worlds of a file. */
async function upgraded(file: string, change: (redis: Redis) => Promise<unknown> = async () => undefined) {
  const server = await startRedis();
  const redis = new Redis(server.port);
  await openWorlds(redis, file);
  await change(redis);
  return onWorlds(server, redis);
}

async function onWorlds(server: RedisServer, redis: Redis) {
  let estate: ReturnType<typeof started> | undefined;
  const address = (): string => estate?.gateway() ?? '';
  const control = async (path: string, rehearsal = 'default', method = 'GET') => {
    const response = await fetch(`${address()}/_control${path}`, { method, headers: { ...CONTROL, 'x-rehearsal': rehearsal } });
    return { status: response.status, body: (await response.json().catch(() => undefined)) as never };
  };
  return {
    server,
    redis,
    address,
    control,
    async start(): Promise<void> {
      estate = startEstate({ REDIS_URL: server.url });
      await estate.ready();
    },
    kill: async () => void (await estate?.stop('SIGKILL')),
    output: () => estate?.output.out ?? '',
    ready: async () => (await (await fetch(`${address()}/readyz`)).json()) as Ready,
    list: async () => ((await control('/rehearsals')).body as { items: Listed[] }).items,
    verify: async (rehearsal: string) => (await control('/verify', rehearsal)).body as { holds: boolean },
    /** Everything in Redis that belongs to a rehearsal's world. */
    async worldOf(rehearsal: string): Promise<Readonly<Record<string, unknown>>> {
      const id = await redis.hget(`estate:{${rehearsal}}`, 'ulid');
      const keys = (await redis.keys(`estate:{${rehearsal}}~${id}*`)).sort();
      return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, (await redis.dump(key))?.toString()])));
    },
    async [Symbol.asyncDispose]() {
      await estate?.stop('SIGKILL');
      redis.disconnect();
      await server.stop();
    },
  };
}

if (whyNoRedis !== undefined) skipWithoutRedis('Worlds of other releases');
else {
  test(
    'Worlds without a version whose records fit are adopted: they verify, and their clients continue',
    async () => {
      await using estate = await upgraded('fc17f37b');
      const orders = async () => estate.redis.hgetall(`${await rootOf(estate.redis, 'kept-order')}:oms:o:orders`);
      const before = await orders();
      await estate.start();
      const ready = await estate.ready();
      expect([ready.status, ready.degraded]).toEqual(['ready', undefined]);
      for (const rehearsal of ['default', 'kept-order', 'kept-delivered']) {
        expect(await estate.verify(rehearsal)).toMatchObject({ holds: true });
        const world = await estate.redis.hget(`estate:{${rehearsal}}`, 'ulid');
        expect(await estate.redis.hget(`estate:{${rehearsal}}~${world}`, 'formats')).toBe(String(FORMATS));
      }
      expect(await orders()).toEqual(before);
      const moved = await fetch(`${estate.address()}/_control/clock/advance`, {
        method: 'POST',
        headers: { ...CONTROL, 'x-rehearsal': 'kept-order' },
        body: JSON.stringify({ by: 'P7D' }),
      });
      expect(moved.status).toBe(200);
      expect(await estate.verify('kept-order')).toMatchObject({ holds: true });
    },
    LIMIT_MS,
  );

  test(
    'Worlds of 2c225f35 are refused by name, stay as they are, and end with the remedy; its unused default is seeded anew',
    async () => {
      await using estate = await upgraded('2c225f35');
      const before = await estate.worldOf('old-order');
      await estate.start();
      const { status, degraded } = await estate.ready();
      expect(status).toBe('ready');
      expect(degraded).toHaveLength(2);
      const sentence =
        /^The world of the rehearsal "old-order" has formats of no known version, and this estate uses version 1\. Its records do not fit: .+ Delete the rehearsal with DELETE \/_control\/rehearsals\/old-order, or run the release that wrote the world\.$/;
      expect(degraded).toContainEqual(expect.stringMatching(sentence));
      expect(await estate.list()).toContainEqual(expect.objectContaining({ name: 'old-order', trouble: expect.stringMatching(sentence) }));
      const { out } = await runEstate(['doctor', '--json', '--against', estate.address()], FREE_PORTS);
      const { findings } = JSON.parse(out) as { findings: readonly unknown[] };
      expect(findings).toContainEqual({ what: 'Estate', state: 'note', found: expect.stringMatching(sentence) });
      const refusal = {
        status: 409,
        body: { code: 'incompatible_world', rehearsal: 'old-order', reads: FORMATS, detail: expect.stringMatching(sentence) },
      };
      expect(await estate.control('/verify', 'old-order')).toMatchObject(refusal);
      expect(await estate.control('/reset', 'old-order', 'POST')).toMatchObject({ status: 409 });
      expect(await estate.verify('default')).toMatchObject({ holds: true });
      expect(await estate.worldOf('old-order')).toEqual(before);
      expect(await estate.control('/rehearsals/old-order', 'default', 'DELETE')).toMatchObject({ status: 204 });
      expect((await estate.list()).map(({ name }) => name)).not.toContain('old-order');
      await eventually('the refused world is forgotten', async () => (await estate.ready()).degraded?.length === 1);
    },
    LIMIT_MS,
  );

  test.each([
    ['a newer version', String(FORMATS + 1), 'A newer release wrote it.'],
    ['an unknown version', 'blue', 'This release does not know this version.'],
  ])(
    'A world of %s is refused by name, and nothing in it changes',
    async (_what, version, reason) => {
      const mark = async (redis: Redis) => {
        for (const rehearsal of ['default', 'kept-order']) {
          const id = await redis.hget(`estate:{${rehearsal}}`, 'ulid');
          await redis.hset(`estate:{${rehearsal}}~${id}`, 'formats', version);
        }
      };
      await using estate = await upgraded('fc17f37b', mark);
      const before = [await estate.worldOf('default'), await estate.worldOf('kept-order')];
      await estate.start();
      for (const rehearsal of ['default', 'kept-order']) {
        expect(await estate.control('/verify', rehearsal)).toMatchObject({
          status: 409,
          body: { code: 'incompatible_world', detail: expect.stringContaining(reason) },
        });
      }
      expect((await estate.ready()).degraded).toHaveLength(2);
      expect(await estate.verify('kept-delivered')).toMatchObject({ holds: true });
      expect([await estate.worldOf('default'), await estate.worldOf('kept-order')]).toEqual(before);
      // The remedy of the default rehearsal: its next use seeds it anew.
      expect(await estate.control('/rehearsals/default', 'default', 'DELETE')).toMatchObject({ status: 204 });
      expect(await estate.verify('default')).toMatchObject({ holds: true });
      expect(await estate.control('/rehearsals/default', 'default', 'DELETE')).toMatchObject({ status: 403 });
    },
    LIMIT_MS,
  );

  test(
    'Worlds of 30835f74 are converted: they verify, their order is delivered, and their webhook stays',
    async () => {
      await using estate = await upgraded('30835f74');
      await estate.start();
      await eventually('all worlds are adopted', async () =>
        (await versionsOf(estate.redis)).every((version) => version === String(FORMATS)),
      );
      expect((await estate.ready()).degraded).toBe(undefined);
      // The index of that release has another value. The world's clock flows, so the task may have ended since.
      const open = await estate.redis.zrange(`${await rootOf(estate.redis, 'kept-order')}:wms:i:warehouse-tasks.open`, '0', '-1');
      expect(open.filter((value) => !value.startsWith('*\0'))).toEqual([]);
      for (const rehearsal of ['default', 'kept-order', 'kept-delivered'])
        expect(await estate.verify(rehearsal)).toMatchObject({ holds: true });
      expect(await estate.control('/webhooks', 'kept-order')).toMatchObject({ body: { items: [{ name: 'mine', state: 'active' }] } });
      // Nothing listens at its address, so its deliveries would be parked.
      expect(await estate.control('/webhooks/mine', 'kept-order', 'DELETE')).toMatchObject({ status: 204 });
      const moved = await fetch(`${estate.address()}/_control/clock/advance`, {
        method: 'POST',
        headers: { ...CONTROL, 'x-rehearsal': 'kept-order' },
        body: JSON.stringify({ by: 'P7D' }),
      });
      expect(moved.status).toBe(200);
      const orders = await estate.control('/objects/order', 'kept-order');
      expect(orders).toMatchObject({ body: { items: [{ state: 'completed' }] } });
      expect(await estate.verify('kept-order')).toMatchObject({ holds: true });
      // A reset returns to the converted data.
      expect(await estate.control('/reset', 'kept-delivered', 'POST')).toMatchObject({ status: 200 });
      expect(await estate.verify('kept-delivered')).toMatchObject({ holds: true });
    },
    LIMIT_MS,
  );

  test(
    'A world whose image was replaced under orders is adopted with its unsent events, and loses none of them',
    async () => {
      await using estate = await upgraded('30835f74-in-flight');
      const unsent = async () => estate.redis.zcard(`${await rootOf(estate.redis, 'kept-one')}:oms:outbox`);
      expect(await unsent()).toBe(2);
      await estate.start();
      await eventually('the world is adopted', async () => (await versionOf(estate.redis, 'kept-one')) === String(FORMATS));
      expect(await estate.control('/settle', 'kept-one', 'POST')).toMatchObject({ body: { settled: true, parked: [] } });
      expect(await unsent()).toBe(0);
      expect(await estate.verify('kept-one')).toMatchObject({ holds: true });
    },
    LIMIT_MS,
  );

  test(
    'A snapshot of 30835f74 is converted when it is uploaded, or opened; one of a newer version is refused by name',
    async () => {
      await using server = await redisServer();
      const text = await snapshotText('30835f74');
      const store = await createRedisStore({ url: server.url });
      const { format: _format, version: _version, ...head } = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const keep = (name: string, content: string) =>
        store.worlds.keepSnapshot({ name, head: JSON.stringify({ ...head, name }), content: gzipSync(content) }, 10);
      await keep('kept', text);
      await keep('newer', JSON.stringify({ ...JSON.parse(text), version: FORMATS + 1, digest: 'sha256:0' }));
      await store.close();
      await using estate = await onWorlds(server, new Redis(server.port));
      await estate.start();
      const post = async (path: string, body: string) => {
        const response = await fetch(`${estate.address()}/_control${path}`, { method: 'POST', headers: CONTROL, body });
        return { status: response.status, body: (await response.json()) as unknown };
      };
      expect(await post('/snapshots?name=uploaded', text)).toMatchObject({ status: 200 });
      for (const from of ['kept', 'uploaded']) {
        expect(await post('/rehearsals', JSON.stringify({ name: from, from: { snapshot: from } }))).toMatchObject({ status: 201 });
        expect(await estate.verify(from)).toMatchObject({ holds: true });
      }
      expect(await post('/rehearsals', JSON.stringify({ name: 'newer', from: { snapshot: 'newer' } }))).toMatchObject({
        status: 409,
        body: {
          code: 'incompatible_world',
          snapshot: 'newer',
          formats: FORMATS + 1,
          reads: FORMATS,
          detail: expect.stringContaining('DELETE'),
        },
      });
    },
    LIMIT_MS,
  );

  test(
    'A process killed before any of its writes during the conversion leaves each world as it was, or converted',
    async () => {
      await using estate = await upgraded('30835f74');
      const rehearsals = ['kept-order', 'kept-delivered'];
      const before = await Promise.all(rehearsals.map((rehearsal) => estate.worldOf(rehearsal)));
      let kills = 0;
      for (; ; kills++) {
        await estate.redis.flushall();
        await openWorlds(estate.redis, '30835f74');
        const env = { ...bare(), ...FREE_PORTS, REDIS_URL: estate.server.url };
        await using killed = startProgram(process.execPath, [killedAtWrite(kills + 1), MAIN], { env });
        let ended = false;
        void killed.ended.then(() => {
          ended = true;
        });
        const isDone = async () => ended || (await versionsOf(estate.redis)).every((version) => version === String(FORMATS));
        await eventually('the process is killed, or all worlds are adopted', isDone);
        if (!ended) break;
        for (const [place, rehearsal] of rehearsals.entries()) {
          const after = await estate.worldOf(rehearsal);
          if ((await versionOf(estate.redis, rehearsal)) === null) expect(after).toEqual(before[place]);
          else
            expect(await estate.redis.hvals(`${await rootOf(estate.redis, rehearsal)}:fms:o:nodes`)).toContainEqual(
              expect.stringContaining('"name":"Galway, Quay Street"'),
            );
        }
      }
      expect(kills).toBeGreaterThan(rehearsals.length);
      await estate.start();
      for (const rehearsal of ['default', ...rehearsals]) expect(await estate.verify(rehearsal)).toMatchObject({ holds: true });
    },
    LIMIT_MS,
  );

  test(
    'A process that dies while it examines worlds leaves each as it was or adopted, and the next process completes the rest',
    async () => {
      await using estate = await upgraded('fc17f37b');
      const versionOf = async (rehearsal: string) => {
        const id = await estate.redis.hget(`estate:{${rehearsal}}`, 'ulid');
        return estate.redis.hget(`estate:{${rehearsal}}~${id}`, 'formats');
      };
      // Examining a world takes long beside its adoption, so the process dies with some worlds adopted and others not.
      await using killed = startEstate({ REDIS_URL: estate.server.url });
      await eventually('the first world is adopted', async () => {
        const versions = await Promise.all(['default', 'kept-order', 'kept-delivered'].map(versionOf));
        return versions.some((version) => version !== null);
      });
      await killed.stop('SIGKILL');
      const versions = await Promise.all(['default', 'kept-order', 'kept-delivered'].map(versionOf));
      expect(new Set([...versions, null, String(FORMATS)])).toEqual(new Set([null, String(FORMATS)]));
      await estate.start();
      for (const rehearsal of ['default', 'kept-order', 'kept-delivered']) {
        expect(await estate.verify(rehearsal)).toMatchObject({ holds: true });
        expect(await versionOf(rehearsal)).toBe(String(FORMATS));
      }
    },
    LIMIT_MS,
  );
}
