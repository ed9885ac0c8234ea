import { useSignal } from '@preact/signals';
import { act, control, drawn, here, isBusy, linkHere, navigate, useRead } from '../data/data.ts';
import { Badge, Card, Choice, counted, Dialog, field, NotFound, PageHead, Pair, say, wallTime } from '../kit/kit.ts';
import { Deliveries } from './deliveries.tsx';
import { FreshSecretCard, keepSecret } from './fresh-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { useFailing, type Webhook } from './webhook-read.ts';
import css from './webhooks.module.css';

interface OneWebhookProps {
  readonly name: string;
}

/** One registered webhook: its deliveries, and what can be done with it. */
export function OneWebhook({ name }: OneWebhookProps) {
  const read = useRead('read-webhook', { params: { name } }, { follows: ['hops', 'events', 'clock', 'gap'] });
  if (read.refusal?.code === 'not_found') return <UnknownWebhook name={name} />;
  return drawn(read, (webhook) => (
    <div class="stack">
      <PageHead
        title={`${name} · Webhooks`}
        heading={name}
        badge={<StateBadge name={name} state={webhook.state} />}
        back={[linkHere('webhooks'), 'All webhooks']}
      />
      <p class="muted line">
        <code class="brk">{webhook.url}</code>
        <span>{countsOf(webhook)}</span>
      </p>
      <FreshSecretCard name={name} />
      {webhook.state === 'disabled' && <Disabled webhook={webhook} onEnabled={read.reload} />}
      <div class={`over ${css['sides']}`}>
        <Registration webhook={webhook} onChange={read.reload} />
        <Deliveries webhook={webhook} onChange={read.reload} />
      </div>
    </div>
  ));
}

export function StateBadge({ name, state }: Pick<Webhook, 'name' | 'state'>) {
  const isFailing = useFailing(name);
  if (state === 'disabled') return <Badge tone="bad">disabled by 410</Badge>;
  return isFailing ? <Badge tone="warn">failing</Badge> : <Badge tone="good">active</Badge>;
}

/** `12 deliveries, 2 not accepted yet`. */
const countsOf = ({ deliveries, waiting }: Webhook): string =>
  [counted(deliveries, 'delivery', 'deliveries'), waiting > 0 && `${waiting.toLocaleString('en')} not accepted yet`]
    .filter(Boolean)
    .join(', ');

function Disabled({ webhook, onEnabled }: { webhook: Webhook; onEnabled: () => void }) {
  const { name, url, types, timestamp } = webhook;
  const enable = (): Promise<void> =>
    act('enable', async () => {
      await control('put-webhook', { params: { name }, body: { url, types, timestamp } });
      onEnabled();
      return `${name} is active: later events are sent to it.`;
    });
  return (
    <div class="problem">
      <p class="empty-title">The receiver answered 410</p>
      <p>Its waiting deliveries are cancelled. Events are not sent to it until you enable it again.</p>
      <p>
        <button type="button" aria-disabled={isBusy()} onClick={() => void enable()}>
          Enable it again
        </button>
      </p>
    </div>
  );
}

function Registration({ webhook, onChange }: { webhook: Webhook; onChange: () => void }) {
  const { name, url, types, timestamp, createdAt, oldSecretUntil } = webhook;
  const asking = useSignal<'change' | 'rotate' | 'delete' | undefined>(undefined);
  const close = (): void => {
    asking.value = undefined;
  };
  const remove = (): Promise<void> =>
    act('delete', async () => {
      close();
      await control('delete-webhook', { params: { name } });
      navigate(linkHere('webhooks'));
      return `${name} is deleted.`;
    });
  const ask = (what: 'change' | 'rotate' | 'delete', words: string) => (
    <button
      type="button"
      class={what === 'delete' ? 'danger' : undefined}
      aria-haspopup="dialog"
      aria-disabled={isBusy()}
      onClick={() => (asking.value = what)}
    >
      {words}
    </button>
  );
  return (
    <Card title="Registration">
      <div class="in stack">
        <dl class="pairs">
          <Pair term="URL">
            <code>{url}</code>
          </Pair>
          <Pair term="Events">
            <span class="line">
              {types.map((type) => (
                <Badge key={type}>
                  <span class="clip">{type === '*' ? 'all (*)' : type}</span>
                </Badge>
              ))}
            </span>
          </Pair>
          <Pair term="Timestamp">{timestamp === 'wall' ? 'wall clock' : 'the rehearsal’s clock'}</Pair>
          <Pair term="Registered">{wallTime(createdAt)}</Pair>
          {oldSecretUntil !== undefined && <Pair term="Old secret">signs too, until {wallTime(oldSecretUntil)}</Pair>}
        </dl>
        <p class="line">
          {ask('change', 'Change…')}
          {ask('rotate', 'New secret…')}
          {ask('delete', 'Delete…')}
        </p>
        <p>
          <a href={linkHere('faults')}>Make its deliveries late, double or lost</a>
        </p>
      </div>
      {asking.value === 'change' && (
        <Dialog title={`Change ${name}`} onClose={close}>
          <WebhookForm
            webhook={webhook}
            onDone={() => {
              close();
              onChange();
              say(`${name} is changed. It keeps its secret.`);
            }}
          />
        </Dialog>
      )}
      {asking.value === 'rotate' && (
        <Dialog title={`A new secret for ${name}`} onClose={close}>
          <Rotation name={name} onDone={close} onChange={onChange} />
        </Dialog>
      )}
      {asking.value === 'delete' && (
        <Dialog title={`Delete ${name}?`} onClose={close}>
          <div class="stack">
            <p>Its list of deliveries is deleted. Waiting deliveries are not sent.</p>
            <p>
              <button type="button" class="danger" onClick={() => void remove()}>
                Delete
              </button>
            </p>
          </div>
        </Dialog>
      )}
    </Card>
  );
}

const KEPT: readonly (readonly [string, string])[] = [
  ['PT24H', 'for 24 hours'],
  ['PT1H', 'for an hour'],
  ['P7D', 'for a week'],
  ['PT0S', 'not at all: it ends now'],
];

function Rotation({ name, onDone, onChange }: { name: string; onDone: () => void; onChange: () => void }) {
  const keepOldFor = useSignal('PT24H');
  const rotate = (event: Event): Promise<void> => {
    event.preventDefault();
    return act('rotate', async () => {
      const { secret } = await control('rotate-webhook-secret', { params: { name }, body: { keepOldFor: keepOldFor.value } });
      keepSecret({ rehearsal: here(), name, secret });
      onDone();
      onChange();
      return `${name} has a new secret.`;
    });
  };
  return (
    <form class="stack" onSubmit={(event: Event) => void rotate(event)}>
      {field(
        {
          id: 'keep-old',
          label: 'The old secret signs, too',
          hint: 'Wall time. Until then each delivery has two signatures, and your receiver accepts either.',
        },
        (attributes) => (
          <Choice attributes={attributes} value={keepOldFor.value} choices={KEPT} onChange={(value) => (keepOldFor.value = value)} />
        ),
      )}
      <p>
        <button type="submit" class="primary" aria-disabled={isBusy()}>
          Make a new secret
        </button>
      </p>
    </form>
  );
}

const UnknownWebhook = ({ name }: OneWebhookProps) => (
  <section class="card">
    <NotFound title="Unknown webhook" words="No webhook has this name" id={name}>
      <p class="muted">The name is wrong, or the webhook was deleted.</p>
      <a class="button" href={linkHere('webhooks')}>
        All webhooks
      </a>
    </NotFound>
  </section>
);
