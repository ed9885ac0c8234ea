import { type Command, Option } from 'commander';
import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS, type EstateCredentials } from '../rehearsal/estate-rehearsal.ts';
import { misuse } from './failure.ts';

export const DEFAULT_URL = 'http://127.0.0.1:8080';

/** The variables that options read. */
export const VARIABLES = ['ESTATE_URL', 'ESTATE_REHEARSAL', 'ESTATE_ADMIN_TOKEN', 'ESTATE_BEARER_TOKEN', 'ESTATE_API_KEY'] as const;

/** Which estate a command talks to, in which rehearsal, and how it prints. */
export interface Connection {
  readonly against: string;
  readonly rehearsal: string;
  readonly admin: string;
  readonly json?: boolean;
}

export const jsonOption = (): Option => new Option('--json', 'Print JSON.');

export const againstOption = (): Option => new Option('--against <url>', 'Address of the gateway.').env('ESTATE_URL').argParser(addressOf);

export const rehearsalOption = (): Option =>
  new Option('--rehearsal <name>', 'Rehearsal to work in.').env('ESTATE_REHEARSAL').default('default');

export const adminOption = (): Option =>
  new Option('--admin <token>', 'Credential of the simulation plane.').env('ESTATE_ADMIN_TOKEN').default(DEMO_CREDENTIALS.admin);

export const bearerOption = (): Option =>
  new Option('--bearer <token>', 'Credential of the APIs.').env('ESTATE_BEARER_TOKEN').default(DEMO_CREDENTIALS.bearer);

export const apiKeyOption = (): Option =>
  new Option('--api-key <key>', 'Credential of the carrier’s APIs.').env('ESTATE_API_KEY').default(DEMO_CREDENTIALS.apiKey);

/** Adds the options of every command that asks the simulation plane. */
export const withConnection = (command: Command): Command =>
  command.addOption(againstOption().default(DEFAULT_URL)).addOption(rehearsalOption()).addOption(adminOption()).addOption(jsonOption());

/** @throws CommandFailure unless it is an address of HTTP */
function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  const meant = URL.parse(`http://${text}`) ? `; did you mean http://${text}?` : ', like http://127.0.0.1:8080.';
  throw misuse(`${text} is not the address of a gateway${meant}`);
}

export const clientOf = (
  { against, rehearsal, admin }: Omit<Connection, 'json'>,
  credentials: Partial<EstateCredentials> = {},
): EstateClient => createEstateClient({ gateway: against, ...DEMO_CREDENTIALS, ...credentials, admin, rehearsal });
