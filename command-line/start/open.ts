import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { EstateFileRefused, unpacked } from '../../shared/contract/estate-file.ts';
import { ENDING, type EstateFile, PARTS } from '../../shared/domain/estate-file.ts';
import { DEFAULT_REHEARSAL } from '../../shared/domain/ids.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { GIVEN_BYTES, PIPE_MS, readWithin, UnreadFile } from '../../shared/process/bounded-file.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { rehearsalLink } from '../../ui/data/route.ts';
import { askWith } from '../connection/ask.ts';
import { adminOption, againstOption, clientOf, jsonOption } from '../connection/connection.ts';
import { CommandFailure, EXIT, misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { startOwnEstate } from '../rehearse/own-estate.ts';
import { interruptions } from '../rehearse/supervision.ts';

interface Options {
  readonly against?: string;
  readonly port: string;
  readonly admin: string;
  readonly json?: boolean;
}

export function openCommand(): Command {
  const command = new Command('open')
    .description(
      'Opens the world of a failed scenario, or of a rehearsal, as a new rehearsal. Prints the address of its last step in the console.',
    )
    .argument('<file>', `File that rehearse --report or the console wrote: NAME${ENDING}.`)
    .addOption(new Option('--port <number>', 'Port of the started gateway; 0 means a free one.').env('GATEWAY_PORT').default('0'))
    .addOption(againstOption())
    .addOption(adminOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nWithout --against and ESTATE_URL, an estate is started, and runs until Ctrl-C.');
  return withExample(command, `open report/my-scenario${ENDING}`).action(open);
}

async function open(path: string, options: Options): Promise<void> {
  const file = read(path);
  if (options.against !== undefined) return show(await opened(path, options.against, { ...options, file }), options);
  const interrupted = interruptions();
  const own = await startOwnEstate({ GATEWAY_PORT: options.port });
  try {
    show(await opened(path, own.gateway, { ...options, file }), options);
    if (!options.json) print('\n  The estate runs until Ctrl-C.\n');
    await own.ended(interrupted);
  } finally {
    await own.stop();
  }
}

/** @throws CommandFailure that names the file, the place in it and the remedy */
function read(path: string): EstateFile {
  const bytes = bytesOf(path);
  try {
    return unpacked(bytes);
  } catch (error) {
    if (!(error instanceof EstateFileRefused)) throw error;
    throw refused(path, error.message);
  }
}

function bytesOf(path: string): Buffer {
  try {
    return readWithin(path, { most: GIVEN_BYTES, pipeMs: PIPE_MS });
  } catch (error) {
    if (error instanceof UnreadFile && error.isMissing) throw misuse(`${path} does not exist; check the path.`);
    throw misuse(`${path} cannot be read: ${errorMessage(error)}.`);
  }
}

const refused = (path: string, mistakes: string): CommandFailure => misuse(`${path} cannot be opened.\n${mistakes}`);

/** The mistakes of a snapshot, with their places in the archive. This command does not take a changed snapshot. */
const inSnapshot = (mistakes: string): string =>
  mistakes
    .replaceAll(/^(?=\/)/gm, PARTS.snapshot)
    .replace(
      'upload it with the option reseal.',
      `take ${PARTS.snapshot} out of the archive, run estate snapshot upload ${PARTS.snapshot} --reseal --unverified, and open it with estate snapshot open.`,
    );

interface Opened {
  readonly gateway: string;
  readonly rehearsal: string;
  /** The page of the failing step, or of the rehearsal. */
  readonly console: string;
  readonly credentials: { readonly bearer: string; readonly apiKey: string };
  readonly failure: EstateFile['failure'];
}

/** Keeps the snapshot of the file, and makes a rehearsal of it. @throws CommandFailure with the refused places of the snapshot */
async function opened(
  path: string,
  gateway: string,
  { file: { snapshot, failure }, admin }: Options & { readonly file: EstateFile },
): Promise<Opened> {
  const connection = { against: gateway, rehearsal: DEFAULT_REHEARSAL, admin };
  await using client = clientOf(connection);
  const name = nameOf(failure?.scenario.name ?? (snapshot as { readonly rehearsal?: unknown }).rehearsal);
  await askWith(client, connection, 'upload-snapshot', { query: { name, unverified: 'true' }, body: snapshot }).catch((error: unknown) => {
    throw error instanceof CommandFailure && error.exitCode === EXIT.misuse ? refused(path, inSnapshot(error.message)) : error;
  });
  const { credentials } = await askWith(client, connection, 'create-rehearsal', { body: { name, from: { snapshot: name } } });
  const trace = failure?.step?.correlationId;
  const page = trace === undefined ? rehearsalLink(name) : rehearsalLink(name, 'activity', trace);
  return { gateway, rehearsal: name, console: `${gateway}${page}`, credentials, failure };
}

/** A new name for a rehearsal and its snapshot. */
function nameOf(origin: unknown): string {
  const words = String(origin)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 31);
  return `${words}-${randomBytes(4).toString('hex')}`.replace(/^-+/, '');
}

function show({ gateway, rehearsal, console, credentials, failure }: Opened, { json }: Options): void {
  if (json) {
    printJson({ gateway, rehearsal, console, credentials, failure }, 2);
    return;
  }
  const { step } = failure ?? {};
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Scenario', failure && `${failure.scenario.name}: ${failure.scenario.title}`],
    ['Failed', failure?.problem],
    ['Last step', step && `${step.title} (${step.call}, ${step.status})`],
    ['Rehearsal', rehearsal],
    ['Console', console],
    ['Bearer', credentials.bearer],
    ['API key', credentials.apiKey],
    ['Fork it', `estate rehearsals fork ${rehearsal} what-if --against ${gateway}`],
  ];
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(10)} ${inOneLine(value, 1_000)}\n`]));
  print(`\n${lines.join('')}`);
}
