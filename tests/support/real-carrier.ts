import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Shipment as ShipmentSchema } from '../../shared/catalog/fulfillment/shipments.ts';
import { serving } from '../conform/serving.ts';

type Shipment = z.output<typeof ShipmentSchema>;
interface Answer {
  readonly status: number;
  readonly body: unknown;
}
/** Answers a call in place of the carrier, or undefined to leave it to the carrier. @param honest has the effect and returns the answer */
type Misbehave = (call: 'register' | 'label' | 'track', honest: () => Answer, parcel: Shipment | undefined) => Answer | undefined;

/** A carrier of a retailer: a real HTTP server with the calls of the estate's Carrier Platform that other applications make. */
export async function startCarrier(misbehave: Misbehave = () => undefined) {
  const parcels = new Map<string, Shipment>();
  const calls: string[] = [];
  let behaviour = misbehave;

  const store = (parcel: Shipment): Answer => {
    parcels.set(parcel.id, parcel);
    return { status: 200, body: parcel };
  };
  const notFound: Answer = { status: 404, body: { code: 'not_found', detail: 'The parcel is unknown.' } };

  function register(id: string, { fulfillmentOrderId, returnId, carrier, service }: Shipment): Answer {
    const now = new Date().toISOString();
    const made = { id, version: 1, createdAt: now, updatedAt: now, fulfillmentOrderId, returnId, carrier, service };
    return store(parcels.get(id) ?? { ...made, state: 'pending', labelStatus: 'none', events: [] });
  }

  function label(id: string): Answer {
    const parcel = parcels.get(id);
    if (!parcel) return notFound;
    if (parcel.state !== 'pending') return { status: 200, body: parcel };
    const occurredAt = new Date().toISOString();
    return store({
      ...parcel,
      version: parcel.version + 1,
      state: 'label-created',
      labelStatus: 'ready',
      trackingNumber: `REAL${id.slice(-10)}`,
      label: { format: 'PDF', url: `/labels/real/${id}.pdf` },
      events: [{ status: 'label-created', statusCode: 'pre_transit', occurredAt }],
    });
  }

  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const [, id = '', last] = /\/shipments\/([^/]+)(?:\/(label|tracking))?$/.exec(request.url ?? '') ?? [];
    const call = last === 'label' ? 'label' : last === 'tracking' ? 'track' : 'register';
    calls.push(call);
    const honest = (): Answer => {
      if (call === 'register') return register(id, JSON.parse(text));
      if (call === 'label') return label(id);
      const parcel = parcels.get(id);
      return parcel ? { status: 200, body: parcel } : notFound;
    };
    const { status, body } = behaviour(call, honest, parcels.get(id)) ?? honest();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return {
    ...(await serving(server)),
    parcels,
    /** The calls that it has received, in sequence. */
    calls,
    /** Changes its behaviour from the next request. */
    behave(next: Misbehave): void {
      behaviour = next;
    },
  };
}
