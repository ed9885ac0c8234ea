import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { FaultInput } from '../../../shared/catalog/control/faults.ts';
import { serving } from '../../conform/serving.ts';
import { ADMIN, estate, newRehearsal, type TestRehearsal } from '../../support/estate.ts';
import { aFolder } from '../../support/folder.ts';
import { type Ended, runIn } from '../../support/scratch-project.ts';

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

export const inNode: CommandOf = (file) => [process.execPath, `${EXAMPLES}${file}`];

/** A story that has ended. */
export interface Played extends Ended {
  readonly rehearsal: TestRehearsal;
  /** What the consumer holds to be true. */
  // biome-ignore lint/suspicious/noExplicitAny: each consumer has its own view
  readonly view: any;
}

/** What happens once, beside the first call of a consumer whose method and path match. */
interface Beside {
  readonly call: RegExp;
  readonly when: 'before' | 'after';
  readonly happens: (rehearsal: TestRehearsal) => Promise<unknown>;
}

const PASSED = ['authorization', 'content-type', 'idempotency-key', 'x-api-key', 'x-rehearsal'];

/** An address of the estate where something happens beside a call. */
function addressWith({ call, when, happens }: Beside, rehearsal: TestRehearsal) {
  let isOver = false;
  return serving(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const isNow = !isOver && call.test(`${method} ${url}`);
    isOver ||= isNow;
    if (isNow && when === 'before') await happens(rehearsal);
    const passed = PASSED.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : []));
    const body = method === 'GET' ? undefined : new Uint8Array(await buffer(request));
    const answer = await fetch(`${estate.gateway}${url}`, { method, headers: passed, ...(body && { body }) });
    const text = await answer.text();
    if (isNow && when === 'after') await happens(rehearsal);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' }).end(text);
  });
}

/** Plays the story of a consumer in a rehearsal. */
export async function play(commandOf: CommandOf, file: string, rehearsal: TestRehearsal, beside?: Beside): Promise<Played> {
  await using folder = await aFolder();
  await using address = beside && (await addressWith(beside, rehearsal));
  const [program, ...args] = commandOf(file);
  const ended = await runIn(folder.path, program, args, {
    ESTATE_URL: address?.url ?? estate.gateway,
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
  readonly beside?: Beside;
  /** Prepares the rehearsal before the story. */
  readonly earlier?: (rehearsal: TestRehearsal) => Promise<unknown>;
}

/** Plays the story of a consumer in fine weather. */
export async function inFineWeather(commandOf: CommandOf, file: string) {
  await using rehearsal = await newRehearsal();
  const { code, out, err, view } = await play(commandOf, file, rehearsal);
  const { holds } = await rehearsal.control('verify');
  return { ended: code === 0 ? 'well' : `${code} ${out}${err}`, hasView: view !== undefined, holds };
}

/** Plays a story with the misfortune of a mistake. @returns what it leaves behind */
export async function withMisfortune(
  commandOf: CommandOf,
  file: string,
  { file: mistaken, effect, earlier, beside }: Shown,
): Promise<unknown> {
  await using rehearsal = await newRehearsal();
  await earlier?.(rehearsal);
  const { fault } = consumerOf(mistaken);
  const set = async () => fault && (await rehearsal.control('put-fault', { params: { name: 'misfortune' }, body: fault }));
  // A fault on a webhook needs the registration, which the consumer makes itself.
  const isLater = fault?.match.webhook !== undefined;
  if (!isLater) await set();
  const registered: Beside = { call: /^PUT .*webhooks/, when: 'after', happens: set };
  const played = await play(commandOf, file, rehearsal, isLater ? registered : beside);
  if (fault) {
    const { items } = await rehearsal.control('list-faults');
    if (items[0]?.hits === 0) throw new Error(`The misfortune did not strike ${file}: ${played.out}${played.err}`);
    await rehearsal.control('delete-faults');
  }
  await rehearsal.settle();
  return await effect(played);
}
