import { Command, InvalidArgumentError, Option } from 'commander';
import type { ClientVariable } from '../../shared/catalog/client-variables.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { print } from '../../shared/process/terminal.ts';
import {
  adminOption,
  againstOption,
  apiKeyOption,
  bearerOption,
  DEFAULT_URL,
  jsonOption,
  rehearsalOption,
} from '../connection/connection.ts';
import { withExample } from '../help.ts';

const FORMATS = ['shell', 'dotenv', 'json'] as const;
type Format = (typeof FORMATS)[number];

interface Options {
  readonly against: string;
  readonly rehearsal: string;
  readonly admin: string;
  readonly bearer: string;
  readonly apiKey: string;
  readonly format: Format;
  readonly json?: boolean;
}

export function envCommand(): Command {
  const format = new Option('--format <format>', `${FORMATS.join(', ')}.`).default('shell').argParser(formatOf);
  const command = new Command('env')
    .description('Prints the address and credentials of an estate as variables, which every command reads.')
    .addOption(format)
    .addOption(againstOption().default(DEFAULT_URL))
    .addOption(rehearsalOption())
    .addOption(adminOption())
    .addOption(bearerOption())
    .addOption(apiKeyOption())
    .addOption(jsonOption());
  return withExample(command, 'env --format dotenv').action((options: Options) => print(`${write(options)}\n`));
}

function formatOf(text: string): Format {
  const format = FORMATS.find((one) => one === text);
  if (format === undefined) throw new InvalidArgumentError(unknownWord('format', text, FORMATS));
  return format;
}

function write({ against, rehearsal, admin, bearer, apiKey, format, json }: Options): string {
  const values: Readonly<Record<ClientVariable, string>> = {
    ESTATE_URL: against,
    ESTATE_REHEARSAL: rehearsal,
    ESTATE_ADMIN_TOKEN: admin,
    ESTATE_BEARER_TOKEN: bearer,
    ESTATE_API_KEY: apiKey,
  };
  if (json || format === 'json') return JSON.stringify(values, null, 2);
  const lines = Object.entries(values).map(([name, value]) =>
    format === 'shell' ? `export ${name}=${quoted(value)}` : `${name}=${JSON.stringify(value)}`,
  );
  return lines.join('\n');
}

/** Quotes a value for a POSIX shell. */
const quoted = (value: string): string => (/^[\w.:/@-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`);
