import type { RegisteredApplication } from '../../../estate/registry.ts';
import * as crm from '../../../services/crm/service.ts';
import * as ecommercePlatform from '../../../services/ecommerce-platform/service.ts';
import * as inventoryService from '../../../services/inventory-service/service.ts';
import * as loyaltyPlatform from '../../../services/loyalty-platform/service.ts';
import * as promotionEngine from '../../../services/promotion-engine/service.ts';
import * as sim from '../../../services/sim/service.ts';
import { startInside } from '../inside.ts';

/** The eCommerce Platform with the applications that it calls, and any additional ones. */
export const startShop = (...more: readonly RegisteredApplication[]) =>
  startInside(ecommercePlatform, crm, sim, inventoryService, promotionEngine, loyaltyPlatform, ...more);
