import { carrierPlatformSuite } from './carrier-platform.ts';
import { loyaltyPlatformSuite } from './loyalty-platform.ts';
import { paymentHubSuite } from './payment-hub.ts';
import { promotionEngineSuite } from './promotion-engine.ts';
import type { Suite } from './suite.ts';

/** The applications whose real systems can be checked. */
export const suites: readonly Suite[] = [paymentHubSuite, promotionEngineSuite, loyaltyPlatformSuite, carrierPlatformSuite];
