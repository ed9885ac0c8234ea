import type { Mutant } from './mutant.ts';

export const webhooks: readonly Mutant[] = [
  {
    name: 'A webhook of any age is accepted',
    file: 'shared/control/webhook-signature.ts',
    from: 'if (Math.abs(now - Number(timestamp) * 1_000) > CLOCK_TOLERANCE_MS) {',
    to: 'if (Number(timestamp) * 1_000 - now > CLOCK_TOLERANCE_MS) {',
    killedBy: ['tests/unit/webhook-signature.test.ts'],
  },
  {
    name: 'The signature of a webhook does not cover its id',
    file: 'shared/control/webhook-signature.ts',
    from: 'body: string): string {\n  return createHmac(',
    to: "body: string): string {\n  id = '';\n  return createHmac(",
    killedBy: ['tests/unit/webhook-signature.test.ts'],
  },
  {
    name: 'The id of a webhook is not stored, so a repeat has a second effect',
    file: 'services/fms/delivery.ts',
    from: '  if (webhookId !== undefined) work.put(acceptedWebhooks, { id: webhookId });\n',
    to: '',
    killedBy: ['tests/services/fms.test.ts'],
  },
  {
    name: 'A scan from the future is accepted',
    file: 'services/fms/delivery.ts',
    from: '  refuseFuture(scan, work.now);\n',
    to: '',
    killedBy: ['tests/services/fms.test.ts'],
  },
  {
    name: 'A late scan moves a parcel back',
    file: 'services/fms/parcels.ts',
    from: 'if (sinceNewest !== undefined && sinceNewest < 0) {',
    to: 'if (sinceNewest === Number.NEGATIVE_INFINITY) {',
    killedBy: ['tests/services/fms.test.ts'],
  },
  {
    name: 'A webhook that is answered with a refusal counts as delivered',
    file: 'services/carrier-platform/webhooks.ts',
    from: 'if (outcome.status >= 200 && outcome.status < 300) return;',
    to: 'if (outcome.status >= 200 && outcome.status < 500) return;',
    killedBy: ['tests/services/carrier-webhooks.test.ts'],
  },
  {
    name: 'A webhook is sent again before the Retry-After of its answer',
    file: 'services/carrier-platform/webhooks.ts',
    from: 'work.now + Math.max(planned, asked)',
    to: 'work.now + planned',
    killedBy: ['tests/services/carrier-webhooks.test.ts'],
  },
  {
    name: 'An old secret signs after its end',
    file: 'control/webhooks/attempt.ts',
    from: 'oldSecret && Date.now() < oldSecret.until ? [secret, oldSecret.secret]',
    to: 'oldSecret ? [secret, oldSecret.secret]',
    killedBy: ['tests/control/webhook-deliveries.test.ts'],
  },
  {
    name: 'A delivery of a deleted webhook is sent to its successor',
    file: 'control/webhooks/work.ts',
    from: " || webhook?.state !== 'active' || webhook.registration !== job.registration) {",
    to: " || webhook?.state !== 'active') {",
    killedBy: ['tests/control/webhooks.test.ts'],
  },
];
