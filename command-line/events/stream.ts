import { Command, Option } from 'commander';
import { ControlError } from '../../rehearsal/estate-client.ts';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations, type StreamId } from '../../shared/catalog/control/operations.ts';
import { nameOf as eventName } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { membersOf } from '../../shared/contract/members.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { pause } from '../../shared/process/waiting.ts';
import { askWith, exitCodeOfRefusal } from '../connection/ask.ts';
import { type Connection, clientOf, withConnection } from '../connection/connection.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { withExample } from '../help.ts';
import { nameOf, optionOf } from '../operations/member-option.ts';
import { type Look, lookOf } from '../output/table.ts';

/** The words of each streaming operation. A missing operation fails the type check. */
export const streamWords: Readonly<Record<StreamId, string>> = { 'read-stream': 'stream' };

type Options = Connection & Readonly<Record<string, unknown>> & { readonly count?: number };

/** A command that prints the frames of a stream until Ctrl-C. */
export function streamCommand(id: StreamId, words: string): Command {
  const { summary, query } = controlOperations[id];
  const members = membersOf(query);
  const count = { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'End after this number of frames.' };
  const command = new Command(words.split(' ').at(-1)).description(summary);
  for (const member of members) command.addOption(optionOf(member, {}));
  command.addOption(optionOf({ path: ['count'], schema: count, required: false, inRequiredPart: false }, {}));
  return withExample(withConnection(command), `${words} --count 1 --from h0.e0`).action(async (options: Options) => {
    const given = members.map((member) => [member.path.join('.'), options[nameOf(member, {})]] as const);
    await follow(id, options, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
  });
}

async function follow(id: StreamId, options: Options, query: Readonly<Record<string, unknown>>): Promise<void> {
  process.once('SIGINT', () => process.exit(EXIT.holds));
  const { style } = lookOf(process.stdout);
  await using client = clientOf(options);
  // This operation explains a refusal better than the stream does.
  await askWith(client, options, 'read-clock');
  const { count = Number.POSITIVE_INFINITY, json } = options;
  let printed = 0;
  try {
    for await (const { event, id: place, data } of client.stream(id, { query })) {
      if (json) printJson({ event, id: place, data });
      else print(`${style('bold', event.padEnd(7))} ${JSON.stringify(data)}\n`);
      printed += 1;
      if (printed >= count) break;
    }
  } catch (error) {
    throw error instanceof ControlError ? new CommandFailure(error.detail, exitCodeOfRefusal(error.status)) : error;
  }
}

type Listed = ControlOutput<(typeof controlOperations)['list-events']>['items'][number];

interface TailOptions extends Connection {
  readonly type?: string;
  readonly ext?: string;
  readonly count?: number;
  readonly fromStart?: boolean;
}

const POLL_MS = 300;
const PAGE = 1_000;

export function tailCommand(): Command {
  const schema = { type: 'integer', minimum: 1, maximum: 1_000_000 };
  const command = new Command('tail')
    .description('Prints events as they come, until Ctrl-C.')
    .addOption(
      optionOf(
        { path: ['type'], schema: { type: 'string', description: 'Only events of this type.' }, required: false, inRequiredPart: false },
        { choices: { type: allEvents.map(({ name }) => name) } },
      ),
    )
    .addOption(new Option('--ext', 'Include the additional events.').argParser(() => 'true').preset('true'))
    .addOption(new Option('--from-start', 'Begin with the first event of the rehearsal.'))
    .addOption(
      optionOf(
        { path: ['count'], schema: { ...schema, description: 'End after this number of events.' }, required: false, inRequiredPart: false },
        {},
      ),
    );
  return withExample(withConnection(command), 'events tail --from-start --count 1').action(tail);
}

async function tail(options: TailOptions): Promise<void> {
  const { type, ext, count = Number.POSITIVE_INFINITY, json, fromStart } = options;
  process.once('SIGINT', () => process.exit(EXIT.holds));
  await using client = clientOf(options);
  const page = (after: number) => askWith(client, options, 'list-events', { query: { after, limit: PAGE, type, ext } });
  let after = 0;
  let isPast = fromStart !== true;
  for (let printed = 0; printed < count; ) {
    const { items, next } = await page(after);
    after = next;
    const shown = isPast ? [] : items.slice(0, count - printed);
    for (const item of shown) {
      if (json) printJson(item);
      else print(`${lineOf(item, lookOf(process.stdout))}\n`);
    }
    printed += shown.length;
    if (items.length === PAGE) continue;
    isPast = false;
    if (printed < count) await pause(POLL_MS);
  }
}

function lineOf({ order, event }: Listed, { style }: Look): string {
  const { time, type, subject } = event;
  return `${style('dim', `${String(order).padStart(5)}  ${String(time).slice(0, 19).replace('T', ' ')}`)}  ${inOneLine(eventName(String(type))).padEnd(26)} ${inOneLine(String(subject))}`;
}
