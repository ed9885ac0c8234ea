import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { createCustomer } from './apis/create-customer.ts';
import { enrollLoyaltyMember } from './apis/enroll-loyalty-member.ts';
import { getCustomer } from './apis/get-customer.ts';
import { issueLoyaltyPoints } from './apis/issue-loyalty-points.ts';
import { redeemLoyaltyPoints } from './apis/redeem-loyalty-points.ts';
import { searchCustomer } from './apis/search-customer.ts';
import { customers, enrolments, notedOrders, parties } from './collections.ts';
import { finishInterruptedEnrolment } from './due/finish-enrolment.ts';
import { moveIdleCustomer } from './due/idle.ts';
import { idle } from './due-work.ts';
import { onOrderConfirmed } from './events/on-order-confirmed.ts';
import { idleTimerOf } from './idle-timer.ts';
import { logCustomerInteraction } from './internal/log-customer-interaction.ts';
import { moveCustomer } from './internal/move-customer.ts';
import { putParty } from './internal/put-party.ts';

export const service = defineService({
  application: 'crm',
  collections: [customers, parties, notedOrders, enrolments],
  counters: [],
  apis: {
    'search-customer-api': searchCustomer,
    'get-customer-api': getCustomer,
    'create-customer-api': createCustomer,
    'enroll-loyalty-member-api': enrollLoyaltyMember,
    'issue-loyalty-points-api': issueLoyaltyPoints,
    'redeem-loyalty-points-api': redeemLoyaltyPoints,
  },
  internal: { 'put-party': putParty, 'log-customer-interaction': logCustomerInteraction, 'move-customer': moveCustomer },
  events: { 'order-confirmed': onOrderConfirmed },
  due: [moveIdleCustomer, finishInterruptedEnrolment],
});

export function seed({ customers: rows }: Fixtures, _now: number): Seed {
  return { objects: [{ of: customers, rows }] };
}

/** Idle timers of the seeded customers. */
export function seedDue({ customers: rows }: Fixtures, _now: number) {
  return rows.flatMap((customer) => {
    const timer = idleTimerOf(customer);
    return timer ? [{ kind: idle.kind, key: customer.id, ...timer }] : [];
  });
}
