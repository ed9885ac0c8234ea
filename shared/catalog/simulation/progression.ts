import { z } from 'zod';
import { ProgressionMode } from '../fulfillment/reference-data.ts';

/** Whether an application takes a step by itself, or leaves it to a caller. */
export const ProgressionStep = z.enum(['auto', 'manual']).meta({ id: 'ProgressionStep' });
export type ProgressionStep = z.output<typeof ProgressionStep>;

/** How a rehearsal moves what no API moves, and which steps the estate takes by itself. */
export const Progression = z
  .strictObject({
    carrier: ProgressionMode.describe('Scans of parcels.'),
    returns: ProgressionMode.describe('What policy, store and warehouse do with returns.'),
    warehouse: ProgressionMode.describe('Picking, packing and handing over. Its APIs exist, so by default it is worked by hand.'),
    route: ProgressionStep.describe('Confirm Order routes the order.'),
    label: ProgressionStep.describe('Dispatch Fulfillment Order has the label made.'),
    capture: ProgressionStep.describe('The OMS captures when fulfilment begins, and what is missing before a dispatch.'),
    refund: ProgressionStep.describe('The OMS refunds what is cancelled, lost or sent back.'),
  })
  .meta({ id: 'Progression' });
export type Progression = z.output<typeof Progression>;

/** What a caller sets; what is left out stays as it is. */
export const ProgressionInput = Progression.partial().meta({ id: 'ProgressionInput' });
export type ProgressionInput = z.output<typeof ProgressionInput>;

/** With what a rehearsal begins. */
export const DEFAULT_PROGRESSION: Progression = {
  carrier: 'time',
  returns: 'time',
  warehouse: 'manual',
  route: 'auto',
  label: 'auto',
  capture: 'auto',
  refund: 'auto',
};

/** The rehearsal's progression as a request carries it. */
export const progressionOf = ({ progression }: { readonly progression?: Progression | undefined }): Progression =>
  progression ?? DEFAULT_PROGRESSION;
