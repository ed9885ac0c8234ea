import type { Output } from '../data/control.ts';

type Progression = Pick<Output<'read-progression'>, 'warehouse' | 'carrier'>;

/** What a fulfillment order waits for, and what ends the wait: moving the clock, or a party that follows it. */
export interface Wait {
  readonly text: string;
  readonly button: string;
  readonly remedy: { readonly by: string } | { readonly follow: keyof Progression };
}

/** The next step of the warehouse in each state, and the API for it. */
const WAREHOUSE: Readonly<Record<string, readonly [step: string, api: string]>> = {
  allocated: ['to start picking', 'Create Picking Order'],
  picking: ['to pick and pack', 'Update Picking Status'],
  packed: ['to dispatch it, once its payment is captured', 'Dispatch Fulfillment Order'],
};
const WITH_THE_CARRIER = new Set(['dispatched', 'failed-delivery']);

/** @returns undefined when nothing more happens */
export function waitOf(state: string | undefined, { warehouse, carrier }: Progression): Wait | undefined {
  if (state === 'created') {
    return { text: 'It waits for its stock. The FMS tries again as the clock moves.', button: '+15 min', remedy: { by: 'PT15M' } };
  }
  const [step, api] = WAREHOUSE[state ?? ''] ?? [];
  if (step !== undefined) {
    return warehouse === 'manual'
      ? {
          text: `It waits for a caller of ${api}: the warehouse works by hand.`,
          button: 'Let the warehouse follow the clock',
          remedy: { follow: 'warehouse' },
        }
      : { text: `It waits for the warehouse ${step}, as the clock moves.`, button: '+1 hour', remedy: { by: 'PT1H' } };
  }
  if (!WITH_THE_CARRIER.has(state ?? '')) return undefined;
  return carrier === 'manual'
    ? {
        text: 'It waits for scans of its parcel: the carrier works by hand.',
        button: 'Let the carrier follow the clock',
        remedy: { follow: 'carrier' },
      }
    : { text: 'It waits for the carrier to deliver its parcel, as the clock moves.', button: '+1 day', remedy: { by: 'P1D' } };
}
