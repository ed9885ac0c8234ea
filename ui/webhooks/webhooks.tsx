import { drawn, here, linkHere, navigate } from '../data/data.ts';
import { Command } from '../kit/command.tsx';
import { Card, Empty, isNarrow, PageHead, type PageProps, say, useListPlace } from '../kit/kit.ts';
import { RowTable, type TableColumn } from '../kit/table.tsx';
import { Deliveries } from './deliveries.tsx';
import { keepSecret } from './fresh-secret.tsx';
import { OneWebhook, StateBadge } from './webhook.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { useWebhooks, type Webhook } from './webhook-read.ts';

/** The registered webhooks of a rehearsal, or one with its deliveries. */
export function Webhooks({ rest: [name] }: PageProps) {
  const place = useListPlace(linkHere('webhooks'), name);
  return <div {...place}>{name === undefined ? <WebhookList /> : <OneWebhook key={name} name={name} />}</div>;
}

function WebhookList() {
  const read = useWebhooks();
  return (
    <div class="stack">
      <PageHead title="Webhooks" about="Events of this rehearsal, sent to your receivers" />
      {drawn(read, (items) => (
        <div class="over">
          <div class="stack">
            <Card label="Registered webhooks">
              {items.length === 0 ? (
                <NoWebhook />
              ) : (
                <RowTable
                  label="Webhooks"
                  heading="webhook"
                  items={items}
                  keyOf={({ name }) => name}
                  href={({ name }) => linkHere('webhooks', name)}
                  isCurrent={(one) => one === items[0] && !isNarrow.value}
                  name={({ name }) => ({ text: name })}
                  columns={COLUMNS}
                />
              )}
            </Card>
            {items[0] && !isNarrow.value && <Deliveries key={items[0].name} webhook={items[0]} onChange={read.reload} />}
          </div>
          <Card title="New webhook">
            <div class="in">
              <WebhookForm
                taken={items.map(({ name }) => name)}
                onDone={({ name, secret }) => {
                  if (secret !== undefined) keepSecret({ rehearsal: here(), name, secret });
                  navigate(linkHere('webhooks', name));
                  say(`${name} is registered: later events are sent to it.`);
                }}
              />
            </div>
          </Card>
        </div>
      ))}
    </div>
  );
}

const COLUMNS: readonly TableColumn<Webhook>[] = [
  { name: 'state', kind: 'state', of: ({ name, state }) => ({ text: state, shown: <StateBadge name={name} state={state} /> }) },
  { name: 'receiver', kind: 'text', of: ({ url }) => ({ text: url }) },
  { name: 'events', kind: 'text', of: ({ types }) => ({ text: types.includes('*') ? 'all events' : types.join(', ') }) },
  { name: 'sent', kind: 'number', of: ({ deliveries }) => ({ text: deliveries.toLocaleString('en') }) },
  { name: 'waiting', kind: 'number', of: ({ waiting }) => ({ text: waiting.toLocaleString('en') }) },
];

/** The two ways to receive events: a registered webhook, and the command `estate listen` on the machine of the receiver. */
function NoWebhook() {
  const command = `estate listen --against ${location.origin} --rehearsal ${here()} --forward-to http://localhost:3000/events`;
  return (
    <Empty title="No webhook is registered.">
      <p>Register the URL of your receiver, and every later event of its types is sent to it, signed and in order per object.</p>
      <p class="muted">
        If the estate cannot reach your receiver, run this command on the machine of the receiver. It sends each event to the receiver:
      </p>
      <Command text={command} />
    </Empty>
  );
}
