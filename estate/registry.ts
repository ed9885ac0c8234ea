import type { EstateObjects } from '../control/verify/world-records.ts';
import type { Fixtures } from '../fixtures/files.ts';
import * as carrierPlatform from '../services/carrier-platform/service.ts';
import * as clientelingApp from '../services/clienteling-app/service.ts';
import * as crm from '../services/crm/service.ts';
import * as ecommercePlatform from '../services/ecommerce-platform/service.ts';
import * as fms from '../services/fms/service.ts';
import * as inventoryService from '../services/inventory-service/service.ts';
import * as loyaltyPlatform from '../services/loyalty-platform/service.ts';
import * as oms from '../services/oms/service.ts';
import * as paymentHub from '../services/payment-hub/service.ts';
import * as pos from '../services/pos/service.ts';
import * as promotionEngine from '../services/promotion-engine/service.ts';
import * as sim from '../services/sim/service.ts';
import * as wms from '../services/wms/service.ts';
import type { Seed } from '../shared/store/collections.ts';
import type { AnyService } from '../shared/work/handler.ts';

/** An application with its seed data for a new world. */
export interface RegisteredApplication {
  readonly service: AnyService;
  readonly seed: (fixtures: Fixtures) => Seed;
  /** Due work for seeded objects. */
  readonly seedDue?: (
    fixtures: Fixtures,
  ) => readonly { readonly kind: string; readonly key: string; readonly at: number; readonly payload: unknown }[];
}

/** All applications with state in worlds. The touchpoint mock has none. */
export const registeredApplications: readonly RegisteredApplication[] = [
  pos,
  ecommercePlatform,
  oms,
  paymentHub,
  sim,
  inventoryService,
  fms,
  wms,
  carrierPlatform,
  promotionEngine,
  loyaltyPlatform,
  crm,
  clientelingApp,
];

/** The application and collection of each type of business object. */
export function objectsOf(services: readonly AnyService[]): EstateObjects {
  return Object.fromEntries(
    services.flatMap(({ application, collections }) =>
      collections.flatMap(({ name, object, index }) =>
        object ? [[object.type, { application, collection: name, definition: object, indexes: Object.keys(index) }]] : [],
      ),
    ),
  );
}
