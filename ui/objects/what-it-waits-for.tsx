import { act, advance, control, offState, unlessOff, useResource } from '../data/data.ts';
import { Card } from '../kit/kit.ts';
import { type Wait, waitOf } from './fulfillment-wait.ts';

const end = ({ remedy }: Wait): Promise<void> =>
  'by' in remedy
    ? advance(remedy)
    : act('progression', async () => {
        await control('set-progression', { body: { [remedy.follow]: 'time' } });
        return `The ${remedy.follow} follows the clock.`;
      });

interface WhatItWaitsForProps {
  readonly rehearsal: string;
  /** State of the fulfillment order. */
  readonly state: string | undefined;
  readonly onChange: () => void;
}

/** What a fulfillment order, or the order that it belongs to, waits for, with a button that ends the wait. */
export function WhatItWaitsFor({ rehearsal, state, onChange }: WhatItWaitsForProps) {
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
        <p>
          <button type="button" class="primary" aria-disabled={offState()} onClick={press}>
            {wait.button}
          </button>
        </p>
      </div>
    </Card>
  );
}
