import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../../shared/catalog/control/faults.ts';
import { ADMIN, estate, newRehearsal, type TestRehearsal } from '../../support/estate.ts';
import { aFolder } from '../../support/folder.ts';
import { openRehearsal } from '../../support/open-rehearsal.ts';
import { type Ended, runIn } from '../../support/scratch-project.ts';
import { withSteps } from '../../support/steps/rehearsal-at.ts';

export const EXAMPLES = fileURLToPath(new URL('../../../examples/harden/', import.meta.url));

/** A row of `mistakes.json`. */
export interface Consumer {
  readonly file: string;
  readonly sound?: true;
  readonly mistake?: string;
  readonly families?: readonly string[];
  readonly misfortune?: string;
  readonly fault?: FaultInput;
  readonly startsAt?: string;
  readonly verdict?: string;
}

export const consumers = JSON.parse(await readFile(`${EXAMPLES}mistakes.json`, 'utf8')) as readonly Consumer[];

const consumerOf = (file: string): Consumer => consumers.find((one) => one.file === file) ?? { file };

/** The command that runs the file of a consumer. */
export type CommandOf = (file: string) => readonly [string, ...string[]];

/** Runs JavaScript and Python, which need no compiler. */
export const asItIs: CommandOf = (file) => [file.endsWith('.py') ? 'python3' : process.execPath, `${EXAMPLES}${file}`];

/** A story that has ended. */
export interface Played extends Ended {
  readonly rehearsal: TestRehearsal;
  /** What the consumer holds to be true. */
  // biome-ignore lint/suspicious/noExplicitAny: each consumer has its own view
  readonly view: any;
}

/** Plays the story of a consumer in a rehearsal. */
async function play(commandOf: CommandOf, file: string, rehearsal: TestRehearsal): Promise<Played> {
  await using folder = await aFolder();
  const [program, ...args] = commandOf(file);
  const ended = await runIn(folder.path, program, args, {
    ESTATE_URL: estate.gateway,
    ESTATE_BEARER_TOKEN: rehearsal.credentials.bearer,
    ESTATE_API_KEY: rehearsal.credentials.apiKey,
    ESTATE_ADMIN_TOKEN: ADMIN,
    ESTATE_REHEARSAL: rehearsal.name,
    CHECK_FILE: folder.at('view.json'),
  });
  const view = await readFile(folder.at('view.json'), 'utf8').then(JSON.parse, () => undefined);
  return { ...ended, rehearsal, view };
}

/** A mistake, where it shows. */
export interface Shown {
  readonly file: string;
  /** A sound consumer that has the same misfortune. */
  readonly sibling: string;
  /** What the story leaves behind. */
  readonly effect: (played: Played) => unknown;
  readonly mistaken: unknown;
  readonly sound: unknown;
  /** Prepares the rehearsal before the story. */
  readonly earlier?: (rehearsal: TestRehearsal) => Promise<unknown>;
}

/** Plays the story of a consumer in fine weather. */
async function inFineWeather(commandOf: CommandOf, file: string) {
  await using rehearsal = await newRehearsal();
  const { code, out, err, view } = await play(commandOf, file, rehearsal);
  const { holds } = await rehearsal.control('verify');
  return { ended: code === 0 ? 'well' : `${code} ${out}${err}`, hasView: view !== undefined, holds };
}

/** Plays a story with the misfortune of a mistake. @returns what it leaves behind */
async function withMisfortune(commandOf: CommandOf, file: string, { file: mistaken, effect, earlier }: Shown): Promise<unknown> {
  const { fault, startsAt } = consumerOf(mistaken);
  await using rehearsal = withSteps(await openRehearsal(estate.gateway, undefined, startsAt === undefined ? {} : { startsAt }));
  await earlier?.(rehearsal);
  if (fault) await rehearsal.control('put-fault', { params: { name: 'misfortune' }, body: fault });
  const played = await play(commandOf, file, rehearsal);
  if (fault) {
    const { items } = await rehearsal.control('list-faults');
    if (items[0]?.hits === 0) throw new Error(`The misfortune did not strike ${file}: ${played.out}${played.err}`);
    await rehearsal.control('delete-faults');
  }
  await rehearsal.settle();
  return await effect(played);
}

/** Tests each consumer of a language. @param shown where their mistakes show */
export function testConsumers(language: string, commandOf: CommandOf, shown: readonly Shown[]): void {
  const own = consumers.filter(({ file }) => file.startsWith(`${language}/`));

  describe('In fine weather', () => {
    test.each(own)('$file ends well, and the world holds', async ({ file }) => {
      expect(await inFineWeather(commandOf, file)).toEqual({ ended: 'well', hasView: true, holds: true });
    });
  });

  describe('With a misfortune', () => {
    test.each(shown)('$file shows its mistake, and $sibling does not have it', async (one) => {
      const [mistaken, sound] = await Promise.all([one.file, one.sibling].map((file) => withMisfortune(commandOf, file, one)));
      expect({ mistaken, sound }).toEqual({ mistaken: one.mistaken, sound: one.sound });
    });

    test(`The mistake of each consumer in ${language} is shown`, () => {
      expect(shown.map(({ file }) => file)).toEqual(own.filter(({ sound }) => sound === undefined).map(({ file }) => file));
    });
  });
}

/** What stories leave behind. */
export const ordersOf = async ({ rehearsal }: Played) =>
  (await rehearsal.api('list-orders-api', { query: { customerId: 'cus_ada' } })).items;

export const confirmed = async (played: Played) => (await ordersOf(played)).filter(({ state }) => state === 'confirmed').length;

export async function issued({ rehearsal }: Played, member = 'loy_ada') {
  const { items } = await rehearsal.api('list-ledger-entries-api', { params: { id: member } });
  // The entries of the initial data have no reason.
  return items.filter(({ type, reason }) => type === 'issue' && reason !== undefined).length;
}

/** The status of the receiver's first answer. */
export async function firstAnswer({ rehearsal }: Played) {
  const { items } = await rehearsal.control('list-webhook-deliveries', { params: { name: 'copy' } });
  return items.at(-1)?.attempts[0]?.status;
}
