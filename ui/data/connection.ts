import type { ClientVariable, WebhookVariable } from '../../shared/catalog/client-variables.ts';
import { queryString } from '../../shared/transport/path.ts';
import type { DemoCredentials } from './config.ts';
import type { RehearsalCredentials } from './session.ts';

/** A setting of a client. */
export interface Setting {
  readonly label: string;
  /** Name of the variable in `.env`. */
  readonly variable: ClientVariable | WebhookVariable;
  readonly value: string;
  /** Shown only when asked for. */
  readonly secret?: true;
}

export interface ConnectionInput {
  readonly gateway: string;
  readonly rehearsal: string;
  /** Known only in the tab that created the rehearsal. */
  readonly credentials: RehearsalCredentials | undefined;
  readonly demo: DemoCredentials | undefined;
}

/** How a client reaches the rehearsal: with the rehearsal's credentials, or with the estate's credentials and the header. */
export function connectionSettings({ gateway, rehearsal, credentials, demo }: ConnectionInput): readonly Setting[] {
  const shared: readonly Setting[] = [
    { label: 'Gateway', variable: 'ESTATE_URL', value: gateway },
    { label: 'X-Rehearsal', variable: 'ESTATE_REHEARSAL', value: rehearsal },
  ];
  const others: readonly (Omit<Setting, 'value'> & { readonly value: string | undefined })[] = credentials
    ? [
        { label: 'Bearer of this rehearsal', variable: 'ESTATE_BEARER_TOKEN', value: credentials.bearer, secret: true },
        { label: 'X-API-Key for the carrier', variable: 'ESTATE_API_KEY', value: credentials.apiKey, secret: true },
        { label: 'Carrier webhook', variable: 'ESTATE_WEBHOOK_URL', value: gateway + credentials.webhookUrl },
        { label: 'Secret of the webhook', variable: 'ESTATE_WEBHOOK_SECRET', value: credentials.webhookSecret, secret: true },
      ]
    : [
        { label: 'Bearer (demonstration)', variable: 'ESTATE_BEARER_TOKEN', value: demo?.integration },
        { label: 'X-API-Key for the carrier', variable: 'ESTATE_API_KEY', value: demo?.apiKey },
        { label: 'Carrier webhook', variable: 'ESTATE_WEBHOOK_URL', value: `${gateway}/webhooks/carrier${queryString({ rehearsal })}` },
      ];
  return [...shared, ...others.filter((one): one is Setting => one.value !== undefined)];
}

/** The settings as a file `.env`. */
export const envText = (settings: readonly Setting[]): string =>
  settings.map(({ variable, value }) => `${variable}=${quoted(value)}\n`).join('');

/** Quotes a value for a shell. */
const quoted = (value: string): string => (/^[\w@%+=:,./?-]*$/.test(value) ? value : `'${value.replaceAll("'", `'"'"'`)}'`);

/** Enough to recognise a secret by, and the rest as dots. */
export const masked = (secret: string): string => `${secret.slice(0, Math.min(8, Math.floor(secret.length / 4)))}••••••••`;
