import { z } from 'zod';
import { type CallOptions, type EstateClient, ForeignAnswer, filledPath } from '../../rehearsal/estate-client.ts';
import type { Method, Reply } from '../../rehearsal/reply.ts';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import { type CalledId, controlOperations } from '../../shared/catalog/control/operations.ts';
import { problemType } from '../../shared/catalog/problems.ts';
import { PLUS_REMEDY } from '../../shared/contract/validation.ts';
import { REHEARSAL_NAME } from '../../shared/domain/ids.ts';
import { nearestWord } from '../../shared/domain/nearest-word.ts';
import { shortened } from '../../shared/domain/text.ts';
import { connectionTrouble } from '../../shared/process/connection-trouble.ts';
import { PathRefused } from '../../shared/transport/path.ts';
import { CommandFailure, EXIT, type ExitCode, misuse, UnknownRehearsal } from '../failure.ts';
import { type Connection, clientOf, DEFAULT_URL } from './connection.ts';

interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The argument or option of each value, by its JSON pointer: `/fault/ms` is `--ms`. */
  readonly places?: Readonly<Record<string, string>>;
}

/** Performs one operation of the control plane. @throws CommandFailure with a sentence for the user */
export async function ask<Id extends CalledId>(
  id: Id,
  connection: Connection,
  input: Input = {},
): Promise<ControlOutput<(typeof controlOperations)[Id]>> {
  await using client = clientOf(connection);
  return await askWith(client, connection, id, input);
}

/** Like `ask`, but the caller owns and closes the client. */
export async function askWith<Id extends CalledId>(
  client: EstateClient,
  connection: Omit<Connection, 'json'>,
  id: Id,
  { params = {}, query = {}, body = {}, places = {} }: Input = {},
): Promise<ControlOutput<(typeof controlOperations)[Id]>> {
  const target: Target = { ...controlOperations[id], as: 'admin' };
  const output = await answerOf(client, connection, target, { params, query, body, places });
  return output as ControlOutput<(typeof controlOperations)[Id]>;
}

/** What a command calls: an operation or an API. */
export interface Target {
  readonly method: string;
  readonly path: string;
  readonly response: z.ZodType;
  readonly as: Credential;
}

/** The answer of a call that a user described with arguments and options. @throws CommandFailure with a sentence for the user */
export async function answerOf(
  client: EstateClient,
  connection: Pick<Connection, 'against'>,
  { method, path, response, as }: Target,
  { params = {}, query = {}, body = {}, places = {} }: Input,
): Promise<unknown> {
  const sent = method === 'GET' || method === 'DELETE' ? undefined : body;
  const target = withPlace(places, () => filledPath(path, { params, query }));
  const reply = await reach(connection.against, () => client.call(method as Method, target, sent, { as }));
  if (!reply.ok) throw await refusalOf(reply, { client, connection, as, places });
  const output = response.safeParse(reply.body ?? null);
  if (!output.success) throw notAnEstate(connection.against, `${method} ${path} returns an unexpected answer`);
  return output.data;
}

/** @throws CommandFailure that names the argument or option whose value cannot be a segment of a path */
function withPlace(places: Readonly<Record<string, string>>, fill: () => string): string {
  try {
    return fill();
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    throw misuse(sentenceOf(places[`/${error.parameter}`] ?? '', error.message));
  }
}

/** @throws CommandFailure when nothing answers at an address */
export async function reach<T>(against: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ForeignAnswer) throw notAnEstate(against, error.reason);
    const reason = connectionTrouble(error)?.words ?? 'it does not answer HTTP';
    throw new CommandFailure(`No estate can be reached at ${against}: ${reason}. ${remedyFor(against)}`, EXIT.unreachable);
  }
}

const remedyFor = (against: string): string =>
  against === DEFAULT_URL
    ? 'Start one with estate start (in a clone: npm start), or name another with --against or ESTATE_URL.'
    : 'Check the address in --against or ESTATE_URL.';

const notAnEstate = (against: string, how: string): CommandFailure =>
  new CommandFailure(
    `${against} is not an estate of this version: ${how}. Check the address in --against or ESTATE_URL.`,
    EXIT.unreachable,
  );

/** Characters of a text of an estate. */
const MOST_CHARACTERS = 20_000;
const MOST_ERRORS = 100;

const Words = z.string().transform((text) => shortened(text, MOST_CHARACTERS));
const word = Words.optional().catch(undefined);
/** The members of a problem. The server may not be an estate, so a member of another type counts as absent. */
const Refusal = z
  .object({
    code: word,
    detail: word,
    scope: word,
    rehearsal: word,
    errors: z.array(z.object({ pointer: Words, detail: Words })).catch([]),
  })
  .catch({ errors: [] });

const problemOf = (body: unknown) => Refusal.parse(body);

interface Asked {
  readonly client: EstateClient;
  readonly connection: Pick<Connection, 'against'>;
  readonly as: Credential;
  readonly places: Readonly<Record<string, string>>;
}

async function refusalOf({ status, body }: Reply, { client, connection, as, places }: Asked): Promise<CommandFailure> {
  const { code, detail, scope, rehearsal, errors } = problemOf(body);
  if (code === undefined || detail === undefined)
    return strangerAt(client, connection.against, `it answers ${status} without a problem code`);
  if (as !== 'none' && (status === 401 || scope !== undefined)) return misuse(REFUSED[as]);
  if (code === 'unknown_rehearsal' && rehearsal !== undefined)
    return new UnknownRehearsal(await unknownRehearsal(rehearsal, client), EXIT.misuse);
  if (status === 503) return new CommandFailure(`The estate is not ready: ${detail}`, EXIT.unreachable);
  const named = errors
    .slice(0, MOST_ERRORS)
    .map(({ pointer, detail }) => sentenceOf(places[inBody(pointer)] ?? pointer, detail.replace(PLUS_REMEDY, '')));
  if (errors.length > MOST_ERRORS) named.push(`There are ${errors.length - MOST_ERRORS} more mistakes.`);
  return new CommandFailure(named.length > 0 ? named.join('\n') : detail, exitCodeOfRefusal(status));
}

export const exitCodeOfRefusal = (status: number): ExitCode => (status === 400 || status === 422 ? EXIT.misuse : EXIT.fails);

/** The pointer of a value in the query, the path or a header, in the form of a pointer into a body. */
const inBody = (pointer: string): string =>
  pointer === 'X-Rehearsal'
    ? '/rehearsal'
    : pointer.replace(/^\?(.*)$|^\{(.*)\}$/, (_, query?: string, param = '') => `/${query ?? param}`.replaceAll('.', '/'));

const sentenceOf = (place: string, detail: string): string =>
  detail === 'This member is required.' ? `${place} is required.` : `${place}: ${detail}`.replace(/^: /, '');

type Credential = NonNullable<CallOptions['as']>;

export const REFUSED: Readonly<Record<Exclude<Credential, 'none'>, string>> = {
  bearer: 'The estate refuses this credential for the APIs; give the right one with --bearer or ESTATE_BEARER_TOKEN.',
  'access-token': 'The estate refuses the access token of this client; fetch a new one.',
  'api-key': 'The estate refuses this key for the carrier’s APIs; give the right one with --api-key or ESTATE_API_KEY.',
  admin: 'The estate refuses this credential for the control plane; give the right one with --admin or ESTATE_ADMIN_TOKEN.',
};

async function unknownRehearsal(asked: string, client: EstateClient): Promise<string> {
  const { items } = await client.control('list-rehearsals').catch(() => ({ items: [] }));
  const names = items.map(({ name }) => name);
  const nearest = nearestWord(asked, names);
  if (nearest !== undefined) return `There is no rehearsal ${asked}; did you mean ${nearest}?`;
  if (!REHEARSAL_NAME.test(asked)) return `${asked} is not a valid name of a rehearsal; estate rehearsals list lists the existing ones.`;
  return `There is no rehearsal ${asked}; estate rehearsals create ${asked} creates it, estate rehearsals list lists the existing ones.`;
}

interface Readiness {
  readonly status?: unknown;
  readonly waitingFor?: unknown;
}

interface Parts {
  /** `ready`, or why it is not, by application. */
  readonly applications?: Readonly<Record<string, string>>;
  /** Problems that do not stop the estate. */
  readonly degraded?: readonly string[];
}

const sentencesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

/** The parts of an estate, as its gateway reports them. An earlier release reports none. */
export async function readinessOf(against: string, path: string): Promise<Parts> {
  await using client = clientOf({ against, rehearsal: '', admin: '' });
  const { body } = await reach(against, () => client.call('GET', path, undefined, { as: 'none', headers: { accept: 'application/json' } }));
  const { applications, degraded }: { readonly [part in keyof Parts]?: unknown } = typeof body === 'object' && body !== null ? body : {};
  const states = Object.entries(typeof applications === 'object' && applications !== null ? applications : {});
  return {
    applications: Object.fromEntries(
      states.map(([name, state]) => [shortened(name, MOST_CHARACTERS), shortened(String(state), MOST_CHARACTERS)]),
    ),
    degraded: sentencesIn(degraded).map((sentence) => shortened(sentence, MOST_CHARACTERS)),
  };
}

/** @throws CommandFailure unless an estate is ready at an address */
export async function requireReady(against: string): Promise<void> {
  await using client = clientOf({ against, rehearsal: '', admin: '' });
  const answer = await reach(against, () =>
    client.call('GET', '/readyz', undefined, { as: 'none', headers: { accept: 'application/json' } }),
  );
  const { status, waitingFor }: Readiness = typeof answer.body === 'object' && answer.body !== null ? answer.body : {};
  if (status === 'ready') return await requireGateway(client, against);
  if (status !== 'not ready' && status !== 'draining')
    throw notAnEstate(against, `its /readyz answers ${answer.status} without a readiness`);
  const names = sentencesIn(waitingFor).join(', ');
  const reason = names === '' ? '' : ` It waits for ${shortened(names, MOST_CHARACTERS).replace(/\.$/, '')}.`;
  throw new CommandFailure(`The estate at ${against} is not ready.${reason}`, EXIT.unreachable);
}

/** @throws CommandFailure unless the server is a gateway: the touchpoint mock and the portal have a /readyz, too */
async function requireGateway(client: EstateClient, against: string): Promise<void> {
  const { ok, status, body } = await reach(against, () =>
    client.call('GET', problemType('not_found'), undefined, { as: 'none', headers: { accept: 'application/json' } }),
  );
  const isGateway = ok || problemOf(body).code === 'misdirected_request';
  if (!isGateway) throw await strangerAt(client, against, `it answers ${status} without the description of a problem`);
}

/** Explains which server runs at an address instead of a gateway. */
async function strangerAt(client: EstateClient, against: string, how: string): Promise<CommandFailure> {
  const { body } = await reach(against, () => client.call('GET', '/openapi.json', undefined, { as: 'none' }));
  const { info }: { readonly info?: { readonly title?: unknown } } = typeof body === 'object' && body !== null ? body : {};
  const title = info?.title;
  if (typeof title !== 'string' || !title.startsWith('Touchpoint basket interface')) return notAnEstate(against, how);
  const what = `${against} is the touchpoint mock or its portal, not the gateway of an estate.`;
  return new CommandFailure(`${what} Name the gateway in --against or ESTATE_URL.`, EXIT.unreachable);
}
