import { drawn, linkHere, useResource } from '../data/data.ts';
import { Badge, counted, StatusBadge } from '../kit/kit.ts';
import { DELIVERY_STATES } from '../webhooks/delivery-states.ts';
import { readSent, type Sent } from '../webhooks/webhook-read.ts';

/** The registered webhooks that an event was sent to, each with the state of its delivery. */
export function EventWebhooks({ id, correlationId }: { id: string; correlationId: string }) {
  const sent = useResource(
    `webhooks of ${id}`,
    async (signal) => (await readSent(signal)).filter(({ delivery }) => delivery.event.id === id),
    {
      follows: ['hops', 'gap'],
      concerns: ([kind, data]) => kind !== 'hops' || data.some((hop) => hop.correlationId === correlationId),
    },
  );
  return drawn(sent, (items) =>
    items.length === 0 ? null : (
      <section class="part" aria-label="Webhooks">
        <h2>Sent to {counted(items.length, 'webhook')}</h2>
        <ul class="lined">
          {items.map((one) => (
            <SentRow key={one.webhook} {...one} />
          ))}
        </ul>
      </section>
    ),
  );
}

function SentRow({ webhook, delivery: { state, attempts } }: Sent) {
  const { tone, words } = DELIVERY_STATES[state];
  const status = attempts.at(-1)?.status;
  return (
    <li class="line">
      <a href={linkHere('webhooks', webhook)}>
        <strong>{webhook}</strong>
      </a>
      <Badge tone={tone}>{words}</Badge>
      {status !== undefined && status > 0 && <StatusBadge status={status} />}
      {attempts.length > 1 && <span class="muted">{counted(attempts.length, 'attempt')}</span>}
    </li>
  );
}
