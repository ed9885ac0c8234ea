import type { FaultPreset } from './fault-switch.ts';

/** What can go wrong on the way to a receiver: switches for a registered webhook, as the estate has them for the carrier's. */
export function presetsOfWebhook(webhook: string): readonly FaultPreset[] {
  const match = { webhook };
  const preset = (id: string, title: string, effect: string, fault: FaultPreset['rule']['fault']): FaultPreset => ({
    id: `${webhook}-webhooks-${id}`,
    group: 'Registered webhooks',
    title: `Webhooks to ${webhook} ${title}`,
    effect,
    rule: { match, fault },
  });
  const refused = 'The receiver answers 401, and the estate sends the webhook again after 5 s, 5 min, 30 min and so on.';
  return [
    preset('lost', 'are lost', 'No event reaches the receiver until this fault is deleted.', { kind: 'withhold' }),
    preset('twice', 'arrive twice', 'Each event arrives again, with the same webhook-id.', { kind: 'duplicate', copies: 1 }),
    preset('out-of-order', 'arrive out of order', 'Each event arrives after the next one about the same object.', {
      kind: 'reorder',
      within: 'P1D',
    }),
    preset('bad-signature', 'have a bad signature', refused, { kind: 'bad-signature' }),
    preset('stale', 'are replayed too late', `The timestamp of each webhook is six minutes old. ${refused}`, { kind: 'stale-timestamp' }),
  ];
}
