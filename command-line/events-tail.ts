import { Command, Option } from 'commander';
import type { ControlOutput } from '../shared/catalog/control/define-operation.ts';
import type { controlOperations } from '../shared/catalog/control/operations.ts';
import { nameOf } from '../shared/catalog/event-names.ts';
import { allEvents } from '../shared/catalog/events.ts';
import { inOneLine } from '../shared/domain/printable.ts';
import { print, printJson } from '../shared/process/terminal.ts';
import { pause } from '../shared/process/waiting.ts';
import { askWith } from './ask.ts';
import { type Connection, clientOf, withConnection } from './connection.ts';
import { EXIT } from './failure.ts';
import { withExample } from './help.ts';
import { optionOf } from './operations/member-option.ts';
import { type Look, lookOf } from './output/look.ts';

type Listed = ControlOutput<(typeof controlOperations)['list-events']>['items'][number];

interface Options extends Connection {
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

async function tail(options: Options): Promise<void> {
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
  return `${style('dim', `${String(order).padStart(5)}  ${String(time).slice(0, 19).replace('T', ' ')}`)}  ${inOneLine(nameOf(String(type))).padEnd(26)} ${inOneLine(String(subject))}`;
}
