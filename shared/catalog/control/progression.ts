import { z } from 'zod';
import { ProgressionMode } from '../fulfillment/reference-data.ts';

/** `auto`: an application takes the step; `manual`: a caller does. */
const ProgressionStep = z.enum(['auto', 'manual']).meta({ id: 'ProgressionStep' });

const StoreMode = ProgressionMode.describe(
  'Picking and packing of goods that customers collect, until they wait at the counter. A client may take a step earlier through the API; the store continues from there.',
);

const ExternalStep = ProgressionStep.describe(
  'External payments: the OMS captures them as others, and the provider pays out refunds an hour later. manual: a client notes both.',
);

/** Which steps of a rehearsal are automatic, and how steps without an API happen. */
export const Progression = z
  .strictObject({
    carrier: ProgressionMode.describe('Scans of parcels.'),
    returns: ProgressionMode.describe('Steps of policy, store and warehouse on returns.'),
    warehouse: ProgressionMode.describe(
      'Picking, packing and dispatch. A client may take a step earlier through the API; the warehouse continues from there.',
    ),
    // Progressions of snapshots that were made before customers collected orders lack it.
    store: StoreMode.default('time'),
    route: ProgressionStep.describe('Confirm Order routes the order.'),
    label: ProgressionStep.describe('Dispatch Fulfillment Order creates the label.'),
    capture: ProgressionStep.describe('The OMS captures when fulfilment begins, and captures the rest before a dispatch.'),
    refund: ProgressionStep.describe('The OMS refunds cancelled, lost and returned goods.'),
    // Progressions of snapshots that were made before external payments lack it.
    external: ExternalStep.default('auto'),
  })
  .meta({ id: 'Progression' });
export type Progression = z.output<typeof Progression>;

/** Omitted members keep their value. */
export const ProgressionInput = Progression.extend({ store: StoreMode, external: ExternalStep }).partial().meta({ id: 'ProgressionInput' });
export type ProgressionInput = z.output<typeof ProgressionInput>;

/** The progression of a new rehearsal. */
export const DEFAULT_PROGRESSION: Progression = {
  carrier: 'time',
  returns: 'time',
  warehouse: 'time',
  store: 'time',
  route: 'auto',
  label: 'auto',
  capture: 'auto',
  refund: 'auto',
  external: 'auto',
};

/** The progression of a request's context. */
export const progressionOf = ({ progression }: { readonly progression?: Progression }): Progression => progression ?? DEFAULT_PROGRESSION;
