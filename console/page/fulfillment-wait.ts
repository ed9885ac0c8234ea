import { h } from 'preact';
import { control, type Output } from './control.ts';
import { shortId } from './format.ts';
import { Card } from './parts.ts';
import { act, advance, offState, unlessOff } from './rehearsal.ts';
import { useResource } from './resource.ts';
import { rehearsalLink } from './route.ts';

type Progression = Output<'read-progression'>;

interface Wait {
  readonly text: string;
  /** Label of the button that ends the wait, and what it does. */
  readonly button: readonly [label: string, run: () => Promise<void>];
}

/** For each state in which the warehouse has the goods: the next step, and the API of that step. */
const WAREHOUSE: Readonly<Record<string, readonly [step: string, api: string]>> = {
  allocated: ['to start picking', 'Create Picking Order'],
  picking: ['to pick and pack', 'Update Picking Status'],
  packed: ['to dispatch it, once its payment is captured', 'Dispatch Fulfillment Order'],
};
const WITH_THE_CARRIER = new Set(['dispatched', 'failed-delivery']);

const clockButton = (label: string, by: string): Wait['button'] => [label, () => advance({ by })];

const progressionButton = (step: 'warehouse' | 'carrier', who: string): Wait['button'] => [
  `Let the ${who} follow the clock`,
  () =>
    act('progression', async () => {
      await control('set-progression', { body: { [step]: 'time' } });
      return `The ${who} follows the clock.`;
    }),
];

/** @returns undefined when nothing more happens */
export function waitOf(state: string | undefined, { warehouse, carrier }: Pick<Progression, 'warehouse' | 'carrier'>): Wait | undefined {
  if (state === 'created') {
    return { text: 'It waits for its stock. The FMS tries again as the clock moves.', button: clockButton('+15 min', 'PT15M') };
  }
  const [step, api] = WAREHOUSE[state ?? ''] ?? [];
  if (step !== undefined) {
    return warehouse === 'manual'
      ? { text: `It waits for a caller of ${api}: the warehouse works by hand.`, button: progressionButton('warehouse', 'warehouse') }
      : { text: `It waits for the warehouse ${step}, as the clock moves.`, button: clockButton('+1 hour', 'PT1H') };
  }
  if (!WITH_THE_CARRIER.has(state ?? '')) return undefined;
  return carrier === 'manual'
    ? { text: 'It waits for scans of its parcel: the carrier works by hand.', button: progressionButton('carrier', 'carrier') }
    : { text: 'It waits for the carrier to deliver its parcel, as the clock moves.', button: clockButton('+1 day', 'P1D') };
}

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
  const [label, run] = wait.button;
  const press = unlessOff(() => {
    void run().then(() => {
      progression.reload();
      onChange();
    });
  });
  return h(
    Card,
    { title: 'What it waits for' },
    h(
      'div',
      { class: 'in stack-tight' },
      h('p', {}, wait.text),
      h(
        'p',
        { class: 'line' },
        h('button', { type: 'button', class: 'primary', 'aria-disabled': offState(), onClick: press }, label),
        parcels.map((id) => h('a', { key: id, href: rehearsalLink(rehearsal, 'objects', 'shipment', id) }, `Parcel ${shortId(id)}`)),
      ),
    ),
  );
}
