import { z } from 'zod';
import { CarrierService, Scan } from './objects.ts';

/** `manual`: only when it is told to. `time`: on the rehearsal's clock, after the delays below. `immediate`: at once. */
export const ProgressionMode = z.enum(['manual', 'time', 'immediate']).meta({ id: 'ProgressionMode' });
export type ProgressionMode = z.output<typeof ProgressionMode>;

const Delay = z
  .string()
  .regex(/^P[0-9A-Z]{1,20}$/)
  .describe('ISO 8601 duration.');

/** What happens to the parcels of a carrier's service by itself. Delays count from the moment at which the label was made. */
export const CarrierScans = z
  .strictObject({
    service: CarrierService,
    estimatedDelivery: z.strictObject({ from: Delay, to: Delay }),
    scans: z.array(z.strictObject({ scan: Scan, after: Delay, location: z.string().max(120), message: z.string().max(200) })).min(1),
  })
  .meta({ id: 'CarrierScans' });
export type CarrierScans = z.output<typeof CarrierScans>;

/** What a warehouse does by itself to a fulfillment order, and how long after it was allocated. */
export const WarehouseStep = z
  .strictObject({ step: z.enum(['started', 'picked', 'packed', 'dispatched']), after: Delay })
  .meta({ id: 'WarehouseStep' });
export type WarehouseStep = z.output<typeof WarehouseStep>;

/** What happens to a return by itself, and how long after the step before it. Of one that comes by parcel the carrier's scan receives it. */
export const ReturnStep = z.strictObject({ step: z.enum(['decide', 'receive', 'inspect']), after: Delay }).meta({ id: 'ReturnStep' });
export type ReturnStep = z.output<typeof ReturnStep>;
