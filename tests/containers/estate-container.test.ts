import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_CREDENTIALS, type EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { EstateContainer, HardenFailed, type StartedEstateContainer } from '../../testcontainers/public.ts';
import { copiedFixtures } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const STARTUP_MS = 180_000;
const OWN = { bearer: 'bearer-of-our-own', apiKey: 'key-of-our-own', admin: 'admin-of-our-own' };

/** The project's fixtures with a renamed product and unique credentials. */
async function ownFixtures() {
  const folder = await copiedFixtures();
  const products = JSON.parse(await readFile(folder.at('products.json'), 'utf8')) as { sku: string; name: string }[];
  const renamed = products.map((product) => (product.sku === 'mug-blue' ? { ...product, name: 'Our own mug' } : product));
  await folder.write('products.json', renamed);
  const credentials = [
    { name: 'own', kind: 'bearer', secret: OWN.bearer, scopes: ['catalog'] },
    { name: 'own-key', kind: 'api-key', secret: OWN.apiKey, scopes: ['catalog'] },
    { name: 'own-admin', kind: 'bearer', secret: OWN.admin, scopes: ['control'] },
    { name: 'own-hook', kind: 'signature', secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`, scopes: ['catalog'] },
  ];
  await folder.write('credentials.json', credentials);
  return folder;
}

if (whyNoDocker !== undefined) skipWithoutDocker('the container with the estate');
else {
  let image = '';
  beforeAll(async () => {
    image = await estateImage();
  });

  describe('A container with default settings', () => {
    let estate: StartedEstateContainer;
    beforeAll(async () => {
      estate = await new EstateContainer(image).withStartupTimeout(STARTUP_MS).start();
    });
    afterAll(async () => {
      await estate?.stop();
    });

    test('A container is ready, with each of its three servers on its own port', async () => {
      const urls = [`${estate.getGatewayUrl()}/readyz`, `${estate.getTouchpointUrl()}/readyz`, estate.getPortalUrl()];
      const answers = await Promise.all(urls.map((url) => fetch(url)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(urls.map((url) => new URL(url).port)).size).toBe(3);
      expect(estate.getCredentials()).toEqual(DEMO_CREDENTIALS);
    });

    test('A container gives each test its own rehearsal, which ends with the test', async () => {
      await using one = await estate.createRehearsal();
      const names = async (): Promise<string[]> => (await one.control('list-rehearsals')).items.map(({ name }) => name);
      let other = '';
      {
        await using two = await estate.createRehearsal();
        other = two.name;
        await two.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
        expect(await two.events()).toHaveLength(1);
        expect(await names()).toContain(other);
      }
      expect(await one.events()).toEqual([]);
      expect(await names()).not.toContain(other);
    });

    test('A container finds what a story does twice when an answer is lost', async () => {
      const welcome = async (rehearsal: EstateRehearsal): Promise<void> => {
        const give = () =>
          rehearsal.api('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 100, reason: 'welcome' } });
        await give().catch(give);
      };
      const failure = await estate.harden(welcome, { families: ['lost-answers'], again: 'C1' }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(HardenFailed);
      expect((failure as HardenFailed).run?.findings.map(({ verdict }) => verdict)).toEqual(['twice']);
    }, 60_000);
  });

  test('A container with custom fixtures has their data, their credentials, and the configured lane', async () => {
    await using folder = await ownFixtures();
    const container = new EstateContainer(image).withFixtures(folder.path).withTouchpoint({ storeKey: 'our-store-key', lanes: ['LANE-7'] });
    await using estate = await container.withLogLevel('warn').withoutJournal().withStartupTimeout(STARTUP_MS).start();
    await using rehearsal = await estate.createRehearsal();
    expect(estate.getCredentials()).toEqual(OWN);
    expect((await rehearsal.api('get-product-api', { params: { id: 'mug-blue' } })).name).toBe('Our own mug');
    expect(await rehearsal.journal()).toEqual([]);

    const ask = (key: string) =>
      fetch(`${estate.getTouchpointUrl()}/caso01`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ touchpointId: 'LANE-7' }),
      });
    expect([(await ask('our-store-key')).status, (await ask('demo-store-key')).status]).toEqual([200, 403]);

    await using demo = estate.createClient();
    expect((await demo.call('POST', '/baskets', {}, { headers: { authorization: 'Bearer demo-integration-token' } })).status).toBe(401);
  });

  describe('A start that fails', () => {
    test('A start without the image explains how to build it', async () => {
      const name = 'unified-commerce-estate:nobody-built-this';
      const sentence = new RegExp(`^There is no image ${name} here, .*docker build -t ${name} \\.$`);
      await expect(new EstateContainer(name).start()).rejects.toThrow(sentence);
    });

    test.each([
      [
        'of the estate',
        () => new EstateContainer(image).withEnvironment({ GATEWAY_PROT: '8080' }),
        'GATEWAY_PROT is not a variable of the estate',
      ],
      [
        'of a container that ends early',
        () => new EstateContainer(image).withEntrypoint(['/bin/echo', 'it ended early']),
        'it ended early',
      ],
    ])('A start that fails shows the last log lines %s', async (_what, container, line) => {
      const sentence = new RegExp(`stopped after \\d+ s; correct what its last log lines name:\n.*${line}`, 's');
      await expect(container().start()).rejects.toThrow(sentence);
    });

    test('A start without Kafka names the missing dependency', async () => {
      const start = new EstateContainer(image).withKafka('nowhere.invalid:9092').withStartupTimeout(45_000).start();
      await expect(start).rejects.toThrow(/was not ready within 45 s; .*withStartupTimeout:\n.*nowhere\.invalid:9092/s);
    });

    test('A start with a taken port names it', async () => {
      const port = await freePort();
      const server = createServer().listen(port, '0.0.0.0');
      await once(server, 'listening');
      const start = new EstateContainer(image).withExposedPorts({ container: 9_999, host: port }).start();
      await expect(start)
        .rejects.toThrow(new RegExp(`cannot have port ${port}, which is in use; free it`))
        .finally(() => server.close());
    });
  });
}
