import type { ClientVariable, WebhookVariable } from '../../shared/catalog/client-variables.ts';
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
  if (credentials) {
    return [
      ...shared,
      { label: 'Bearer of this rehearsal', variable: 'ESTATE_BEARER_TOKEN', value: credentials.bearer, secret: true },
      { label: 'X-API-Key for the carrier', variable: 'ESTATE_API_KEY', value: credentials.apiKey, secret: true },
      { label: 'Carrier webhook', variable: 'ESTATE_WEBHOOK_URL', value: gateway + credentials.webhookUrl },
      { label: 'Secret of the webhook', variable: 'ESTATE_WEBHOOK_SECRET', value: credentials.webhookSecret, secret: true },
    ];
  }
  const { integration, apiKey } = demo ?? {};
  return [
    ...shared,
    ...(integration === undefined
      ? []
      : [{ label: 'Bearer (demonstration)', variable: 'ESTATE_BEARER_TOKEN', value: integration } as const]),
    ...(apiKey === undefined ? [] : [{ label: 'X-API-Key for the carrier', variable: 'ESTATE_API_KEY', value: apiKey } as const]),
    {
      label: 'Carrier webhook',
      variable: 'ESTATE_WEBHOOK_URL',
      value: `${gateway}/webhooks/carrier?rehearsal=${encodeURIComponent(rehearsal)}`,
    },
  ];
}

/** The settings as a file `.env`. */
export const envText = (settings: readonly Setting[]): string =>
  settings.map(({ variable, value }) => `${variable}=${quoted(value)}\n`).join('');

/** Quotes a value for a shell. */
const quoted = (value: string): string => (/^[\w@%+=:,./?-]*$/.test(value) ? value : `'${value.replaceAll("'", `'"'"'`)}'`);

/** Enough to recognise a secret by, and the rest as dots. */
export const masked = (secret: string): string => `${secret.slice(0, Math.min(8, Math.floor(secret.length / 4)))}••••••••`;
