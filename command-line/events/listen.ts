import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Agent, request } from 'undici';
import { ConnectionError, ControlError, type EstateClient, ForeignAnswer } from '../../rehearsal/estate-client.ts';
import { STREAM_CURSOR } from '../../shared/catalog/control/operations/stream.ts';
import { EVENT_CONTENT_TYPE, EXTENSIONS, nameOf } from '../../shared/catalog/event-names.ts';
import { allEvents, events } from '../../shared/catalog/events.ts';
import { signWebhook, WEBHOOK_SECRET } from '../../shared/control/webhook-signature.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { connectionTrouble } from '../../shared/process/connection-trouble.ts';
import { print, printError, printJson } from '../../shared/process/terminal.ts';
import { askWith, exitCodeOfRefusal } from '../connection/ask.ts';
import { type Connection, clientOf, withConnection } from '../connection/connection.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { withExample } from '../help.ts';
import { optionOf } from '../operations/member-option.ts';
import { lookOf } from '../output/table.ts';
import { repeatable } from '../repeatable.ts';

/** Signs deliveries unless `--secret` names another secret. Public, like the other demo credentials. */
export const LISTEN_SECRET = `whsec_${Buffer.from('public demo secret of listen').toString('base64')}`;

/** Wall time limit of an answer. */
const ANSWER_MS = 15_000;
const LATE = `no answer within ${ANSWER_MS / 1_000} s`;
/** Wall time before each further attempt, so that a receiver may restart. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000] as const;
const RECONNECT_MS = 1_000;
const CONNECTIONS = 16;

interface Options extends Connection {
  readonly forwardTo: string;
  readonly types: readonly string[];
  readonly secret: string;
  readonly from?: string;
  readonly count?: number;
}

/** The members of an event that a delivery needs. Its JSON is the body. */
interface Event {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
}

interface Delivery extends Event {
  readonly attempt: number;
  /** 0 when no answer came. */
  readonly status: number;
  readonly error?: string;
  readonly durationMs: number;
}

export function listenCommand(): Command {
  const count = { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'End after this number of events.' };
  const command = new Command('listen')
    .description('Sends each event to your receiver as a signed webhook, until Ctrl-C.')
    .addOption(new Option('--forward-to <url>', 'Address of your receiver.').argParser(receiverOf).makeOptionMandatory())
    .addOption(
      repeatable(
        new Option('--types <names>', 'Only these events, separated by commas or repeated; ext.* names the additional ones.'),
        typesOf,
      ).default(typesOf('*'), 'the 16 events of the interface'),
    )
    .addOption(
      new Option('--secret <secret>', 'Signing secret: whsec_ and base64.')
        .env('ESTATE_WEBHOOK_SECRET')
        .argParser(secretOf)
        .default(LISTEN_SECRET, 'a public one'),
    )
    .addOption(new Option('--from <cursor>', 'Continue after this position, such as h0.e0 for all events.').argParser(cursorOf))
    .addOption(optionOf({ path: ['count'], schema: count, required: false, inRequiredPart: false }, {}));
  return withExample(withConnection(command), 'listen --forward-to http://localhost:3000/events').action(listen);
}

function receiverOf(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.hash === '') return url.href;
  throw new InvalidArgumentError(`${text} is not the address of a receiver, like http://localhost:3000/events.`);
}

const namesOf = (definitions: typeof events): readonly string[] => definitions.map(({ name }) => name);

function typesOf(text: string): readonly string[] {
  const known = namesOf(allEvents);
  return text.split(',').flatMap((word) => {
    const name = nameOf(word.trim());
    if (name === '*') return namesOf(events);
    if (name === EXTENSIONS) return known.filter((one) => one.startsWith('ext.'));
    if (known.includes(name)) return [name];
    throw new InvalidArgumentError(unknownWord('event', name, [...known, '*', EXTENSIONS]));
  });
}

function secretOf(text: string): string {
  if (WEBHOOK_SECRET.test(text)) return text;
  throw new InvalidArgumentError('A secret is whsec_ and the base64 text of 24 to 64 bytes.');
}

function cursorOf(text: string): string {
  if (STREAM_CURSOR.test(text)) return text;
  throw new InvalidArgumentError(`${text} is not a position. Give h0.e0 for all events, or the position that the command printed.`);
}

async function listen(options: Options): Promise<void> {
  const { rehearsal, forwardTo, secret, json, from } = options;
  await using client = clientOf(options);
  // This operation explains a refusal better than the stream does.
  await askWith(client, options, 'read-clock');
  if (!json) print(`The events of the rehearsal ${rehearsal} go to ${forwardTo}\nSigning secret: ${secret}\n\n`);
  const progress: Progress = { position: from, taken: 0, failed: 0 };
  process.once('SIGINT', () => {
    if (progress.position !== undefined) printError(`To continue here: --from ${progress.position}\n`);
    process.exit(EXIT.holds);
  });
  const agent = new Agent({ connections: CONNECTIONS });
  await forward(client, agent, { options, progress }).finally(() => agent.close());
  const { failed, taken } = progress;
  if (failed > 0) throw new CommandFailure(`The receiver did not accept ${failed} of ${taken} events.`, EXIT.fails);
}

interface Progress {
  /** The position after the events that were delivered or given up. */
  position: string | undefined;
  taken: number;
  failed: number;
}

/** Ends after `--count` events. */
async function forward(
  client: EstateClient,
  agent: Agent,
  { options, progress }: { readonly options: Options; readonly progress: Progress },
): Promise<void> {
  const { types, count = Number.POSITIVE_INFINITY } = options;
  for await (const { id, items } of framesOf(client, options)) {
    const wanted = items.filter(({ type }) => types.includes(nameOf(type))).slice(0, count - progress.taken);
    // In order per object; objects do not wait for each other.
    const bySubject = Map.groupBy(wanted, ({ subject }) => subject);
    const failures = await Promise.all([...bySubject.values()].map((same) => deliverInOrder(same, options, agent)));
    progress.position = id;
    progress.taken += wanted.length;
    progress.failed += failures.reduce((sum, number) => sum + number, 0);
    if (progress.taken >= count) return;
  }
}

interface Frame {
  /** The position after these events. */
  readonly id: string;
  readonly items: readonly Event[];
}

/** The frames of events, and of the clock: the first frame has the position at the start. A lost connection is joined again after the last frame. @throws CommandFailure when the rehearsal is deleted */
async function* framesOf(client: EstateClient, { from, rehearsal }: Options): AsyncGenerator<Frame, void> {
  let after = from;
  let isLost = false;
  for (;;) {
    try {
      for await (const { event, id, data } of client.stream('read-stream', { query: { topics: 'clock,events' }, after })) {
        if (isLost) printError('Connected again.\n');
        isLost = false;
        if (event === 'gap' && data.reason === 'deleted') throw new CommandFailure(`The rehearsal ${rehearsal} was deleted.`, EXIT.fails);
        if (event === 'gap') printError('The rehearsal was reset. Its new events follow.\n');
        yield { id: id ?? '', items: event === 'events' ? data.map((listed) => listed.event as unknown as Event) : [] };
        after = id;
      }
    } catch (error) {
      if (error instanceof ControlError && error.status < 500) throw new CommandFailure(error.detail, exitCodeOfRefusal(error.status));
      if (error instanceof ForeignAnswer || !(error instanceof ConnectionError || error instanceof ControlError)) throw error;
    }
    if (!isLost) printError('The connection to the estate is lost. Trying again every second.\n');
    isLost = true;
    await pause(RECONNECT_MS);
  }
}

/** @returns how many events the receiver did not accept */
async function deliverInOrder(items: readonly Event[], options: Options, agent: Agent): Promise<number> {
  let givenUp = 0;
  for (const event of items) if (!(await isDelivered(event, options, agent))) givenUp += 1;
  return givenUp;
}

async function isDelivered(event: Event, options: Options, agent: Agent): Promise<boolean> {
  for (const [index, wait] of [...RETRY_AFTER_MS, undefined].entries()) {
    const delivery = await deliver(event, options, { agent, attempt: index + 1 });
    show(delivery, options, wait);
    if (isAccepted(delivery)) return true;
    if (delivery.status === 410) throw new CommandFailure('The receiver answers 410: it wants no more events.', EXIT.fails);
    if (wait !== undefined) await pause(wait);
  }
  return false;
}

const isAccepted = ({ status }: Delivery): boolean => status >= 200 && status < 300;

/** One attempt. Redirects are not followed. The timestamp is wall time, because receivers compare it with their own clock. */
async function deliver(
  event: Event,
  { forwardTo, secret }: Options,
  { agent, attempt }: { readonly agent: Agent; readonly attempt: number },
): Promise<Delivery> {
  const { id, type, subject } = event;
  const body = JSON.stringify(event);
  const at = Date.now();
  const outcome = await request(forwardTo, {
    method: 'POST',
    headers: { 'content-type': EVENT_CONTENT_TYPE, ...signWebhook(secret, { id, at, body }) },
    body,
    dispatcher: agent,
    signal: AbortSignal.timeout(ANSWER_MS),
  }).then(
    async ({ statusCode, body: answer }) => {
      await answer.dump();
      return { status: statusCode };
    },
    (error: Error) => ({ status: 0, error: error.name === 'TimeoutError' ? LATE : (connectionTrouble(error)?.words ?? error.message) }),
  );
  return { id, type: nameOf(type), subject, attempt, durationMs: Date.now() - at, ...outcome };
}

function show(delivery: Delivery, { json }: Options, wait: number | undefined): void {
  if (json) return void printJson(delivery);
  const { style } = lookOf(process.stdout);
  const { type, subject, status, error, durationMs } = delivery;
  const isFine = isAccepted(delivery);
  const next = wait === undefined ? 'given up' : `again in ${wait / 1_000} s`;
  const answer = isFine ? `${status}  ${durationMs} ms` : `${error ?? status}, ${next}`;
  print(`${style(isFine ? 'green' : 'red', isFine ? '→' : '✗')} ${inOneLine(type).padEnd(28)} ${inOneLine(subject)}  ${answer}\n`);
}
