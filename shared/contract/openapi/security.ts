import type { Part } from '../json-schemas.ts';

/** How a webhook is signed, for both documents. */
export const SIGNATURE =
  'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the webhook secret of the rehearsal. The headers webhook-id and webhook-timestamp (seconds) carry the other two values.';

/** The security scheme of each kind of credential. */
export const SCHEMES = [
  { auth: 'bearer', name: 'bearer', scheme: { type: 'http', scheme: 'bearer', description: 'An opaque token per consuming application.' } },
  { auth: 'api-key', name: 'apiKey', scheme: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key of a carrier.' } },
  { auth: 'signature', name: 'signature', scheme: { type: 'apiKey', in: 'header', name: 'webhook-signature', description: SIGNATURE } },
] as const;

export const CONTROL_SCHEME: Part = { type: 'http', scheme: 'bearer', description: 'A token with the scope control.' };
