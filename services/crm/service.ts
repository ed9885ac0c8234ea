import type { Fixtures } from '../../fixtures/files.ts';
import { figuresOf } from '../../shared/catalog/retailer.ts';
import { references, seededReferences } from '../../shared/handlers/references.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { getCustomer, idle, idleTimerOf, logCustomerInteraction, moveCustomer, moveIdleCustomer, onOrderConfirmed } from './activity.ts';
import { customers, enrolments, notedOrders, parties } from './collections.ts';
import { enrollLoyaltyMember, finishInterruptedEnrolment, issueLoyaltyPoints, redeemLoyaltyPoints } from './loyalty.ts';
import { changeCustomer, createCustomer, putParty } from './registration.ts';
import { searchCustomer } from './search.ts';

export const service = defineService({
  application: 'crm',
  collections: [customers, parties, notedOrders, enrolments, references],
  counters: [],
  apis: {
    'search-customer-api': searchCustomer,
    'get-customer-api': getCustomer,
    'create-customer-api': createCustomer,
    'enroll-loyalty-member-api': enrollLoyaltyMember,
    'issue-loyalty-points-api': issueLoyaltyPoints,
    'redeem-loyalty-points-api': redeemLoyaltyPoints,
  },
  internal: {
    'put-party': putParty,
    'log-customer-interaction': logCustomerInteraction,
    'move-customer': moveCustomer,
    'change-customer': changeCustomer,
  },
  events: { 'order-confirmed': onOrderConfirmed },
  due: [moveIdleCustomer, finishInterruptedEnrolment],
});

export function seed({ customers: rows }: Fixtures): Seed {
  return {
    objects: [
      { of: customers, rows },
      { of: references, rows: seededReferences('customer', rows) },
    ],
  };
}

/** Idle timers of the seeded customers. */
export function seedDue({ customers: rows, retailer }: Fixtures) {
  const figures = figuresOf(retailer);
  return rows.flatMap((customer) => {
    const timer = idleTimerOf(customer, figures);
    return timer ? [{ kind: idle.kind, key: customer.id, ...timer }] : [];
  });
}
