import type { OpenRehearsal } from '../open-rehearsal.ts';

/** The counters of the Inventory Service. */
export function stockSteps({ api, call }: OpenRehearsal) {
  const locationsOf = async (sku: string) => (await api('get-inventory-api', { params: { sku } })).locations;
  return {
    reserve: (body: object) => call('reserve-inventory-api', { body }),
    /** Units of a SKU that all locations have reserved. */
    reserved: async (sku: string) => (await locationsOf(sku)).reduce((sum, { reserved }) => sum + reserved, 0),
    /** Units on hand and reserved, per location. */
    stockOf: async (sku: string): Promise<Record<string, [onHand: number, reserved: number]>> =>
      Object.fromEntries((await locationsOf(sku)).map(({ locationId, onHand, reserved }) => [locationId, [onHand, reserved]])),
    onHand: async (sku: string, locationId: string) =>
      (await locationsOf(sku)).find((level) => level.locationId === locationId)?.onHand ?? 0,
    /** Units on hand and reserved at a location. */
    stockAt: async (sku: string, locationId = 'store-01') => {
      const { onHand = 0, reserved = 0 } = (await locationsOf(sku)).find((level) => level.locationId === locationId) ?? {};
      return { onHand, reserved };
    },
  };
}
