import { type Command, InvalidArgumentError, Option } from 'commander';
import { createEstateClient, type EstateClient } from '../../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS, type EstateCredentials } from '../../rehearsal/estate-rehearsal.ts';
import type { ClientVariable } from '../../shared/catalog/client-variables.ts';
import { DEFAULT_REHEARSAL, REHEARSAL_NAME, REHEARSAL_NAME_RULE } from '../../shared/domain/ids.ts';
import { misuse } from '../failure.ts';

export const DEFAULT_URL = 'http://127.0.0.1:8080';

/** The estate and the rehearsal of a command, its credential, and its output format. */
export interface Connection {
  readonly against: string;
  readonly rehearsal: string;
  readonly admin: string;
  readonly json?: boolean;
}

export const jsonOption = (): Option => new Option('--json', 'Print JSON.');

export const againstOption = (): Option =>
  new Option('--against <url>', 'Address of the gateway.').env('ESTATE_URL').argParser((text) => addressOf(text));

export const rehearsalOption = (): Option =>
  new Option('--rehearsal <name>', 'Rehearsal to work in.').env('ESTATE_REHEARSAL').default(DEFAULT_REHEARSAL).argParser(rehearsalOf);

export const adminOption = (): Option =>
  credentialOption('--admin <token>', 'Credential of the control plane.', 'ESTATE_ADMIN_TOKEN').default(DEMO_CREDENTIALS.admin);

export const bearerOption = (): Option =>
  credentialOption('--bearer <token>', 'Credential of the APIs.', 'ESTATE_BEARER_TOKEN').default(DEMO_CREDENTIALS.bearer);

export const apiKeyOption = (): Option =>
  credentialOption('--api-key <key>', 'Credential of the carrier’s APIs.', 'ESTATE_API_KEY').default(DEMO_CREDENTIALS.apiKey);

function credentialOption(flags: string, description: string, variable: ClientVariable): Option {
  return new Option(flags, description).env(variable).argParser((text) => {
    if (/^[\x21-\x7e]+$/.test(text)) return text;
    const [option] = flags.split(' ');
    throw misuse(`The credential in ${option} or ${variable} cannot be sent: it takes visible ASCII without blanks.`);
  });
}

export const withConnection = (command: Command): Command =>
  command.addOption(againstOption().default(DEFAULT_URL)).addOption(rehearsalOption()).addOption(adminOption()).addOption(jsonOption());

/** @param server what has the address @throws CommandFailure unless the text is an HTTP address */
export function addressOf(text: string, server = 'gateway'): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}${url.pathname}`) return text.replace(/\/+$/, '');
  const isWithoutScheme = text !== '' && !text.includes('://') && URL.canParse(`http://${text}`);
  throw misuse(
    `${text === '' ? 'Nothing' : text} is not the address of a ${server}${isWithoutScheme ? `; did you mean http://${text}?` : ', like http://127.0.0.1:8080.'}`,
  );
}

/** @throws InvalidArgumentError unless the text is the name of a rehearsal */
export function rehearsalOf(name: string): string {
  if (REHEARSAL_NAME.test(name)) return name;
  throw new InvalidArgumentError(REHEARSAL_NAME_RULE);
}

export const clientOf = (
  { against, rehearsal, admin }: Omit<Connection, 'json'>,
  credentials: Partial<EstateCredentials> = {},
): EstateClient => createEstateClient({ gateway: against, ...DEMO_CREDENTIALS, ...credentials, admin, rehearsal });
