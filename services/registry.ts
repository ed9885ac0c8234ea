import type { Fixtures } from '../fixtures/files.ts';
import type { Seed } from '../shared/store/collections.ts';
import type { AnyService } from '../shared/work/handler.ts';
import * as carrierPlatform from './carrier-platform/service.ts';
import * as clientelingApp from './clienteling-app/service.ts';
import * as crm from './crm/service.ts';
import * as ecommercePlatform from './ecommerce-platform/service.ts';
import * as fms from './fms/service.ts';
import * as inventoryService from './inventory-service/service.ts';
import * as loyaltyPlatform from './loyalty-platform/service.ts';
import * as oms from './oms/service.ts';
import * as paymentHub from './payment-hub/service.ts';
import * as pos from './pos/service.ts';
import * as promotionEngine from './promotion-engine/service.ts';
import * as sim from './sim/service.ts';
import * as wms from './wms/service.ts';

/** An application, and what a world starts with at it. */
export interface RegisteredApplication {
  readonly service: AnyService;
  readonly seed: (fixtures: Fixtures, now: number) => Seed;
  /** Due work of seeded objects. */
  readonly seedDue?: (
    fixtures: Fixtures,
    now: number,
  ) => readonly { readonly kind: string; readonly key: string; readonly at: number; readonly payload: unknown }[];
}

/** Every application that keeps state in worlds. The touchpoint mock keeps none. */
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
