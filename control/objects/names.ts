import { Promotion, Voucher } from '../../shared/catalog/promotion/reference-data.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import { locationsOf } from './stock.ts';

const OWNER = 'promotion-engine';
const NamedVoucher = Voucher.pick({ name: true, enabled: true }).strip();
/** Maximum number of promotions, and of vouchers, in an answer. */
const MOST = 1_000;

/** The names of reference data. Objects name it by id, and it has no pages. */
export async function readNames(worlds: ObjectReader, world: World) {
  const page = { after: 0, limit: MOST };
  const [locations, promotions, vouchers] = await Promise.all([
    locationsOf(worlds, world),
    worlds.all(world, OWNER, 'promotions', page),
    worlds.all(world, OWNER, 'vouchers', page),
  ]);
  return {
    locations: locations.map(({ id, name, type }) => ({ id, name, type })),
    promotions: promotions.map(({ id, json }) => ({ id, name: Promotion.parse(JSON.parse(json).rule).name })),
    vouchers: vouchers.map(({ id, json }) => ({ id, ...NamedVoucher.parse(JSON.parse(json).voucher) })),
  };
}
