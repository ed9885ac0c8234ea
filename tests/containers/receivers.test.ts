import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anObservedEstate, type ObservedEstate } from '../observability/observed-estate.ts';
import { aFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { runIn } from '../support/scratch-project.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { startReceiver } from './receiver.ts';

const EXAMPLES = new URL('../../examples/', import.meta.url);

/** Installs the library of the language, which needs its registry, and then starts the receiver. */
const languages = [
  {
    name: 'Python',
    folder: 'receiver',
    prepare: 'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt',
    run: ['.venv/bin/python', 'receiver.py'],
  },
  { name: 'Go', folder: 'receiver-go', prepare: 'go build -o receiver .', run: ['./receiver'] },
] as const;

describe.each(languages)('The receiver in $name', ({ folder, prepare, run }) => {
  let estate: ObservedEstate;
  let project: Awaited<ReturnType<typeof aFolder>>;
  beforeAll(async () => {
    estate = await anObservedEstate({ CONSOLE: 'off' });
    project = await aFolder(new URL(folder, EXAMPLES));
    const { code, out, err } = await runIn(project.path, 'bash', ['-c', prepare]);
    if (code !== 0) throw new Error(`${prepare} failed: ${out}${err}`);
  });
  afterAll(async () => {
    await project.remove();
    await estate[Symbol.asyncDispose]();
  });

  const receiving = (secret: string, port: number) =>
    startReceiver(project.path, [...run, String(port)], { ESTATE_WEBHOOK_SECRET: secret });

  test('The receiver accepts each delivery with the library of its language, during a rotation too, and refuses another secret', async () => {
    await using rehearsal = await rehearsalAt(estate.running.gateway);
    const port = await freePort();
    const name = { params: { name: 'shop' } };
    const body = { url: `http://127.0.0.1:${port}/events`, types: ['order-created'] };
    const { secret = '' } = await rehearsal.control('put-webhook', { ...name, body });
    const states = async () =>
      (await rehearsal.control('list-webhook-deliveries', { ...name })).items.map(({ state, attempts }) => [state, attempts[0]?.status]);
    {
      await using receiver = await receiving(secret, port);
      const order = await rehearsal.draft();
      await rehearsal.settle();
      await rehearsal.control('rotate-webhook-secret', { ...name, body: {} });
      await rehearsal.draft();
      await rehearsal.settle();
      expect(receiver.output()).toContain(`received com.unified-commerce.order-created order/${order.id}`);
    }
    expect(await states()).toEqual([
      ['delivered', 204],
      ['delivered', 204],
    ]);
    await using _stranger = await receiving(`whsec_${Buffer.alloc(24, 'x').toString('base64')}`, port);
    await rehearsal.draft();
    await rehearsal.settle();
    expect((await states())[0]).toEqual(['waiting', 401]);
  });
});
