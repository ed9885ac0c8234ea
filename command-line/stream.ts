import { Command } from 'commander';
import { ControlError } from '../rehearsal/estate-client.ts';
import { controlOperations, type StreamId } from '../shared/catalog/control/operations.ts';
import { print, printJson } from '../shared/process/terminal.ts';
import { askWith, exitCodeOfRefusal } from './ask.ts';
import { type Connection, clientOf, withConnection } from './connection.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { withExample } from './help.ts';
import { nameOf, optionOf } from './operations/member-option.ts';
import { membersOf } from './operations/schema-members.ts';
import { lookOf } from './output/look.ts';

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
