import type { Bench, Body, Input } from './bench.ts';
import { rulesOf, type Suite } from './suite.ts';

const ADDRESS = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91 X2YZ', country: 'IE' };

const registration = (id: string): Input => ({
  params: { id },
  body: { fulfillmentOrderId: `ffo_${id}`, carrier: 'demo-carrier', service: 'STANDARD', from: ADDRESS, to: ADDRESS },
});

const registered = (bench: Bench): Promise<Body> => bench.prepare('put-shipment', registration(bench.unique('shp_')));

async function labelled(bench: Bench): Promise<Body> {
  const { id } = await registered(bench);
  return bench.prepare('generate-label-api', { params: { id }, body: {} });
}

/** A parcel after these scans. */
const scanned =
  (...scans: readonly string[]) =>
  async (bench: Bench): Promise<Body> => {
    let parcel = await labelled(bench);
    for (const scan of scans) parcel = await bench.prepare('scan-shipment', { params: { id: parcel.id }, body: { scan } });
    return parcel;
  };

/** A parcel as Track Shipment has it: undefined before its label. */
async function tracked(bench: Bench, { id }: Body): Promise<Body | undefined> {
  const { status, body } = await bench.call('track-shipment-api', { params: { id } });
  return status === 200 ? body : undefined;
}

const scan = (verb: string) => ({ call: 'scan-shipment', input: ({ id }: Body) => ({ params: { id }, body: { scan: verb } }) });

const registering = rulesOf('put-shipment');
const labelling = rulesOf('generate-label-api');
const tracking = rulesOf('track-shipment-api');

export const carrierPlatformSuite: Suite = {
  application: 'carrier-platform',
  ids: {},
  capabilities: { scans: 'the control plane scans parcels' },
  calls: {
    'put-shipment': { valid: async (bench) => registration(bench.unique('shp_')) },
    'generate-label-api': {
      valid: async (bench) => ({ params: { id: (await registered(bench)).id }, body: {} }),
      effect: async (bench, { params }) => (await tracked(bench, params))?.trackingNumber,
    },
    'track-shipment-api': { valid: async (bench) => ({ params: { id: (await labelled(bench)).id } }) },
    'scan-shipment': {
      valid: async (bench) => ({ params: { id: (await labelled(bench)).id }, body: { scan: 'collect' } }),
      effect: async (bench, { params }) => (await tracked(bench, params))?.events.length,
      needs: 'scans',
    },
  },
  rules: [
    registering('registered', 'registers a parcel under the given id, with its addresses, without a label', async (bench) => {
      const input = registration(bench.unique('shp_'));
      const { id, state, labelStatus, events } = await bench.prepare('put-shipment', input);
      bench.expect('Parcel', [id, state, labelStatus, events], [input.params?.['id'], 'pending', 'none', []]);
    }),
    labelling('label', 'answers the label with its tracking number', async (bench) => {
      const { labelStatus, label, trackingNumber } = await labelled(bench);
      bench.expect('Label', [labelStatus, label?.format, typeof trackingNumber], ['ready', 'PDF', 'string']);
    }),
    labelling('one-label', 'makes one label for a parcel, whatever the key', async (bench) => {
      const { id, trackingNumber } = await labelled(bench);
      const again = await bench.prepare('generate-label-api', { params: { id }, body: {} });
      bench.expect('Tracking number of the second call', again.trackingNumber, trackingNumber);
    }),
    tracking('unlabelled', 'refuses a parcel without a label with 409', async (bench) => {
      const { id } = await registered(bench);
      await bench.refused('track-shipment-api', { params: { id } }, 'Tracking before the label', 409);
    }),
    rulesOf('track-shipment-api', 'scans')('scans', 'lists the scans in order of arrival, with place and message', async (bench) => {
      const { id } = await labelled(bench);
      const at = { location: 'Athlone', message: 'Picked up' };
      await bench.prepare('scan-shipment', { params: { id }, body: { scan: 'collect', ...at } });
      await bench.prepare('scan-shipment', { params: { id }, body: { scan: 'depart' } });
      const { state, events = [] } = (await tracked(bench, { id })) ?? {};
      const scans = events.map(({ status, statusCode }: Body) => [status, statusCode]);
      const expected = [
        ['label-created', 'pre_transit'],
        ['collected', 'in_transit'],
        ['in-transit', 'in_transit'],
      ];
      bench.expect('State and scans', [state, scans], ['in-transit', expected]);
      bench.expect('Place and message', { location: events[1].location, message: events[1].message }, at);
    }),
  ],
  objects: {
    shipment: {
      reach: {
        pending: registered,
        'label-created': labelled,
        collected: scanned('collect'),
        'in-transit': scanned('collect', 'depart'),
        'out-for-delivery': scanned('collect', 'depart', 'out-for-delivery'),
        delivered: scanned('collect', 'depart', 'out-for-delivery', 'deliver'),
        lost: scanned('lose'),
      },
      verbs: {
        register: { call: 'put-shipment', input: ({ id }) => registration(id) },
        label: { call: 'generate-label-api', input: ({ id }) => ({ params: { id }, body: {} }) },
        collect: scan('collect'),
        depart: scan('depart'),
        deliver: scan('deliver'),
        lose: scan('lose'),
      },
      read: tracked,
    },
  },
  scenarioNeeds: {},
};
