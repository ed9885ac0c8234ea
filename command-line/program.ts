import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { ConnectionError } from '../rehearsal/estate-client.ts';
import { CLIENT_VARIABLES, WEBHOOK_VARIABLES } from '../shared/catalog/client-variables.ts';
import type { StreamId } from '../shared/catalog/control/operations.ts';
import { shortened } from '../shared/domain/text.ts';
import { print, printError } from '../shared/process/terminal.ts';
import { conformCommand } from './conform/conform.ts';
import { listenCommand } from './events/listen.ts';
import { streamCommand, streamWords, tailCommand } from './events/stream.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { hardenCommand } from './harden/harden.ts';
import { mcpCommand } from './mcp.ts';
import { callCommand } from './operations/call.ts';
import { operationCommand, operationsByWords } from './operations/operation-commands.ts';
import { summaryCommand } from './output/summary.ts';
import { rehearseCommand } from './rehearse/rehearse.ts';
import { endProcess } from './rehearse/supervision.ts';
import { refuseRepetitions } from './repeatable.ts';
import { completionCommand } from './shell/completion.ts';
import { envCommand } from './shell/env.ts';
import { doctorCommand } from './start/doctor.ts';
import { openCommand } from './start/open.ts';
import { startCommand } from './start/start.ts';
import { fidelityCommand } from './swaps/fidelity.ts';
import { keepCommand } from './swaps/keep-answers.ts';

const GROUPS: Readonly<Record<string, string>> = {
  rehearsals: 'Isolated worlds: create, list, show, reset, delete.',
  clock: 'The clock of a rehearsal.',
  fault: 'Faults that strike calls, events and webhooks.',
  events: 'Events on the bus.',
  objects: 'Business objects.',
  parked: 'Work that failed too often.',
  snapshot: 'Worlds that are kept as files: saved, opened, compared and uploaded.',
  webhooks: 'Receivers that the estate sends events to.',
  progression: 'Steps that a rehearsal takes automatically.',
  returns: 'Plays policy, store and warehouse.',
  products: 'Plays assortment management.',
  customers: 'Plays customer service.',
  disputes: 'Plays the bank of a cardholder, who disputes a payment.',
  payments: 'Plays the customer at 3-D Secure.',
  sequence: 'Sequences of calls, events, deliveries, timers and clock moves.',
  promotions: 'Changes promotions during a rehearsal.',
  vouchers: 'Changes vouchers during a rehearsal.',
  swaps: 'Shows the real systems in place of applications, and acts for one of them.',
  'gift-cards': 'Changes gift cards during a rehearsal.',
  'payment-tokens': 'Changes the answers of the simulated payment provider.',
  stock: 'Stock by SKU and location; plays a stock count.',
  scenarios: 'Scenarios of the estate.',
  runs: 'Runs of scenarios in the estate.',
  hops: 'Single hops of the journal.',
  traces: 'Requests from outside, with their consequences.',
};

export function createProgram(): Command {
  const program = new Command('estate')
    .description('A simulated unified-commerce retailer to rehearse on: starts it, moves its time, breaks it, and shows what happened.')
    .version(manifest.version, '--version', 'Print the version.');
  program.addCommand(startCommand()).addCommand(rehearseCommand()).addCommand(openCommand()).addCommand(callCommand());
  for (const [words, variants] of operationsByWords()) place(program, words, operationCommand(words, variants));
  place(program, 'events tail', tailCommand());
  for (const [id, words] of Object.entries(streamWords)) place(program, words, streamCommand(id as StreamId, words));
  place(program, 'swaps keep', keepCommand());
  program
    .addCommand(listenCommand())
    .addCommand(conformCommand())
    .addCommand(hardenCommand())
    .addCommand(fidelityCommand())
    .addCommand(mcpCommand())
    .addCommand(doctorCommand())
    .addCommand(envCommand())
    .addCommand(summaryCommand())
    .addCommand(completionCommand(program));
  program.addHelpText('after', EXIT_CODES);
  for (const command of everyCommand(program)) prepare(command.helpCommand(false));
  program.helpCommand('help [command]', 'Prints the help of a command.');
  return program;
}

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 misuse, 3 no estate can be reached.
estate <command> --help prints the options of a command and an example.`;

function place(program: Command, words: string, command: Command): void {
  const [noun = '', verb] = words.split(' ');
  if (verb === undefined) return void program.addCommand(command);
  const group = program.commands.find((one) => one.name() === noun) ?? new Command(noun).description(GROUPS[noun] ?? '');
  if (group.parent === null) program.addCommand(group);
  group.addCommand(command);
}

export const everyCommand = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(everyCommand)];

function prepare(command: Command): void {
  refuseRepetitions(command);
  command
    .summary(/^.*?\.(?= |$)/s.exec(command.description())?.[0] ?? '')
    .helpOption('-h, --help', 'Print this help.')
    .exitOverride()
    .configureHelp({
      showGlobalOptions: false,
      // Descriptions beside long options still wrap in a terminal of 60 columns.
      minWidthToWrap: 20,
      styleTitle: (title) => title,
      subcommandTerm: (one) => one.name(),
    })
    .configureOutput({ writeOut: print, writeErr: printError, outputError: (text, write) => write(asSentence(text, command)) });
}

/** Runs a command and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.on('error', endOfReader);
  // An empty variable counts as not set.
  for (const name of [...CLIENT_VARIABLES, ...WEBHOOK_VARIABLES]) if (process.env[name] === '') delete process.env[name];
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.holds : EXIT.misuse;
  if (error instanceof CommandFailure || error instanceof ConnectionError) printError(`${error.message}\n`);
  else printError(`Internal error of the command: ${error instanceof Error ? error.stack : String(error)}\n`);
  if (error instanceof ConnectionError) return EXIT.unreachable;
  return error instanceof CommandFailure ? error.exitCode : EXIT.fails;
}

/** A reader such as `head` may close the pipe early, or the disk may be full. */
function endOfReader({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') endProcess(EXIT.holds);
  const cause = code === 'ENOSPC' ? 'its disk is full. Free space' : `${message}. Correct the redirection`;
  printError(`Standard output cannot be written: ${cause}, and repeat the command.\n`);
  endProcess(EXIT.fails);
}

/** The parser's message about an invalid option, variable or argument. */
const BAD_VALUE =
  /^(?:option '(--[\w-]+)[^']*'|command-argument) (?:argument|value) '(.*?)'(?: from env '(\w+)')? is invalid(?: for argument '\w+')?\. (.*)$/s;
const UNKNOWN = /^unknown (command|option) '(.*?)'(?: \(Did you mean (?:one of )?(.*?)(?:, .*)?\?\))?$/;
const NO_VALUE = /^option '(?:-\w, )?((--[\w-]+)[^']*)' argument missing$/;
const TOO_MANY = /^too many arguments.*?Expected (\d+) arguments? but got \d+(?:: (.*?))?\.$/;
const NO_ARGUMENT = /^missing required argument '(.*)'$/;

/** Characters of a given word or value in a sentence. */
const LONGEST_SHOWN = 200;

/** Rewrites a message of the parser as a sentence for the user. */
function asSentence(text: string, command: Command): string {
  const said = text
    .replace(/^error: /, '')
    .trimEnd()
    .replaceAll('\n', ' ');
  const otherwise = `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, '')}.`;
  return `${badValue(said) ?? badWord(said, pathOf(command)) ?? otherwise}\n`;
}

function badValue(said: string): string | undefined {
  const [, option, value = '', variable, reason] = BAD_VALUE.exec(said) ?? [];
  if (reason === undefined) return undefined;
  const shown = shortened(value, LONGEST_SHOWN);
  // A number in the reason may be a limit, such as the maximum, and not the given value. The subject "This" needs the name of its option.
  const isQuoted = value !== '' && Number.isNaN(Number(value)) && !reason.startsWith('This ') && reason.includes(value);
  const place = [variable ?? option ?? '', shown].filter((word) => word.trim() !== '').join(' ');
  return isQuoted ? reason.replaceAll(value, shown) : `${place}: ${reason}`.replace(/^: /, '');
}

function badWord(said: string, path: string): string | undefined {
  const [, kind, word, nearest] = UNKNOWN.exec(said) ?? [];
  if (word !== undefined)
    return `There is no ${kind} ${shortened(word, LONGEST_SHOWN)}; ${nearest === undefined ? `${path} --help lists them.` : `did you mean ${nearest}?`}`;
  const [, flags, option] = NO_VALUE.exec(said) ?? [];
  if (option !== undefined) return `${option} needs a value: ${flags}.`;
  const [, most, given] = TOO_MANY.exec(said) ?? [];
  if (most !== undefined)
    return `${path} takes ${most === '0' ? 'no argument' : `at most ${most}`}, not ${given === undefined ? 'more' : shortened(given, LONGEST_SHOWN)}.`;
  const [, argument] = NO_ARGUMENT.exec(said) ?? [];
  return argument === undefined ? undefined : `The argument ${argument} is missing; ${path} --help shows an example.`;
}

/** `estate clock show` */
const pathOf = (command: Command): string => (command.parent === null ? '' : `${pathOf(command.parent)} `) + command.name();
