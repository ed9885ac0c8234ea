import { act, advance, control, offState, rehearsalLink, unlessOff, useResource } from '../data/data.ts';
import { Card, shortId } from '../kit/kit.ts';
import { type Wait, waitOf } from './fulfillment-wait.ts';

const end = ({ remedy }: Wait): Promise<void> =>
  'by' in remedy
    ? advance(remedy)
    : act('progression', async () => {
        await control('set-progression', { body: { [remedy.follow]: 'time' } });
        return `The ${remedy.follow} follows the clock.`;
      });

interface FulfillmentWaitProps {
  readonly rehearsal: string;
  readonly state: string | undefined;
  readonly parcels: readonly string[];
  readonly onChange: () => void;
}

/** What a fulfillment order waits for, with a button that ends the wait. */
export function FulfillmentWait({ rehearsal, state, parcels, onChange }: FulfillmentWaitProps) {
  const progression = useResource(`${rehearsal} progression`, (signal) => control('read-progression', undefined, { signal }));
  const wait = progression.value && waitOf(state, progression.value);
  if (wait === undefined) return null;
  const press = unlessOff(() => {
    void end(wait).then(() => {
      progression.reload();
      onChange();
    });
  });
  return (
    <Card title="What it waits for">
      <div class="in stack-tight">
        <p>{wait.text}</p>
        <p class="line">
          <button type="button" class="primary" aria-disabled={offState()} onClick={press}>
            {wait.button}
          </button>
          {parcels.map((id) => (
            <a key={id} href={rehearsalLink(rehearsal, 'objects', 'shipment', id)}>
              Parcel {shortId(id)}
            </a>
          ))}
        </p>
      </div>
    </Card>
  );
}
