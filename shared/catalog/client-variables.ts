/** Environment variables that point a client at an estate. Every command reads them; `estate env` and the console print them. */
export const CLIENT_VARIABLES = ['ESTATE_URL', 'ESTATE_REHEARSAL', 'ESTATE_ADMIN_TOKEN', 'ESTATE_BEARER_TOKEN', 'ESTATE_API_KEY'] as const;
export type ClientVariable = (typeof CLIENT_VARIABLES)[number];

/** Environment variables for a user's own carrier, which sends webhooks. `estate listen` signs its own with the same secret. */
export const WEBHOOK_VARIABLES = ['ESTATE_WEBHOOK_URL', 'ESTATE_WEBHOOK_SECRET'] as const;
export type WebhookVariable = (typeof WEBHOOK_VARIABLES)[number];
