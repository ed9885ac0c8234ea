import { z } from 'zod';
import { CarrierService, Scan } from './shipments.ts';

/** `manual`: on command only. `time`: on the rehearsal's clock, after the delays below. `immediate`: without delay. */
export const ProgressionMode = z.enum(['manual', 'time', 'immediate']).meta({ id: 'ProgressionMode' });
export type ProgressionMode = z.output<typeof ProgressionMode>;

const Delay = z
  .string()
  .regex(/^P[0-9A-Z]{1,20}$/, 'This must be an ISO 8601 duration such as P1D or PT2H.')
  .describe('ISO 8601 duration.');

/** Automatic scans of the parcels of a carrier's service. Delays start when the label is generated. */
export const CarrierScans = z
  .strictObject({
    service: CarrierService,
    estimatedDelivery: z.strictObject({ from: Delay, to: Delay }),
    scans: z.array(z.strictObject({ scan: Scan, after: Delay, location: z.string().max(120), message: z.string().max(200) })).min(1),
  })
  .meta({ id: 'CarrierScans' });
export type CarrierScans = z.output<typeof CarrierScans>;

/** Automatic steps of a warehouse. Delays start when the fulfillment order is allocated. */
export const WarehouseStep = z
  .strictObject({ step: z.enum(['started', 'picked', 'packed', 'dispatched']), after: Delay })
  .meta({ id: 'WarehouseStep' });
export type WarehouseStep = z.output<typeof WarehouseStep>;

/** Automatic steps of a return. Each delay starts with the previous step. A return by parcel is received by the carrier's scan instead. */
export const ReturnStep = z.strictObject({ step: z.enum(['decide', 'receive', 'inspect']), after: Delay }).meta({ id: 'ReturnStep' });
export type ReturnStep = z.output<typeof ReturnStep>;
