import { Command, Option } from 'commander';
import { printError } from '../../shared/process/terminal.ts';
import { jsonOption } from '../connection/connection.ts';
import { EXIT, misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { loadEstateCode } from './estate-code.ts';

const SETTINGS = {
  port: ['--port <number>', 'GATEWAY_PORT', 'Port of the gateway; 0 means a free one.'],
  touchpointPort: ['--touchpoint-port <number>', 'TOUCHPOINT_PORT', 'Port of the touchpoint mock.'],
  portalPort: ['--portal-port <number>', 'PORTAL_PORT', 'Port of the touchpoint portal.'],
  host: ['--host <address>', 'HOST', 'Address to listen on.'],
  fixtures: ['--fixtures <folder>', 'FIXTURES_DIR', 'Folder with your own fixtures.'],
  logLevel: ['--log-level <level>', 'LOG_LEVEL', 'trace, debug, info, warn, error, fatal or silent.'],
} as const;

type Setting = keyof typeof SETTINGS;
type Options = Partial<Record<Setting, string>> & { readonly json: boolean };

export function startCommand(): Command {
  const command = new Command('start').description('Starts the whole estate in this process, until Ctrl-C.');
  for (const [flags, variable, description] of Object.values(SETTINGS)) {
    command.addOption(new Option(flags, `${description} Sets ${variable}.`));
  }
  const json = jsonOption().default(false);
  command.addOption(json.argParser(() => true));
  return withExample(command, 'start --port 0 --touchpoint-port 0 --portal-port 0').action(start);
}

async function start({ json = false, ...options }: Options): Promise<void> {
  const environment = { ...process.env };
  for (const [name, value] of Object.entries(options)) {
    const [flags, variable] = SETTINGS[name as Setting];
    if (value === '') throw misuse(`${flags.split(' ')[0]} needs a value: ${flags}.`);
    environment[variable] = value;
  }
  // Loaded on demand: the estate loads slowly, and other commands do not need it.
  const { explainStart, run } = await loadEstateCode();
  await run(environment, { json }).catch((error: unknown) => {
    const { text, exitCode } = explainStart(error);
    printError(`${asGiven(text, Object.keys(options) as Setting[])}\n`);
    // 64 and above: an invalid variable, option or file.
    process.exit(exitCode >= 64 ? EXIT.misuse : EXIT.fails);
  });
}

/** Replaces variables by the options that the user gave: `--port abc` instead of `GATEWAY_PORT=abc`. */
function asGiven(text: string, given: readonly Setting[]): string {
  let result = text;
  for (const [flags, variable] of given.map((name) => SETTINGS[name])) {
    const [option = ''] = flags.split(' ');
    result = result.replaceAll(new RegExp(`\\b${variable}\\b(=?)`, 'g'), (_, sign: string) => (sign === '' ? option : `${option} `));
  }
  return result;
}
