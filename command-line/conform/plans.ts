import type { Plan } from './plan.ts';
import { carrierPlatformPlan } from './plans/carrier-platform.ts';
import { loyaltyPlatformPlan } from './plans/loyalty-platform.ts';
import { paymentHubPlan } from './plans/payment-hub.ts';
import { promotionEnginePlan } from './plans/promotion-engine.ts';

/** The applications whose real systems can be checked. */
export const plans: readonly Plan[] = [paymentHubPlan, promotionEnginePlan, loyaltyPlatformPlan, carrierPlatformPlan];
