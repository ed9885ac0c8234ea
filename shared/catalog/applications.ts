/** The owning applications of the estate, named as in the source document. */
export const applications = {
  pos: { title: 'POS', owns: 'transactions at the till, and their receipts' },
  'ecommerce-platform': { title: 'eCommerce Platform', owns: 'baskets, products and prices' },
  oms: { title: 'OMS', owns: 'orders' },
  'payment-hub': { title: 'Payment Hub', owns: 'payments, refunds and gift-card balances' },
  fms: { title: 'FMS', owns: 'fulfillment orders and returns' },
  wms: { title: 'WMS', owns: 'picking orders' },
  'carrier-platform': { title: 'Carrier Platform', owns: 'shipments, labels and scans' },
  sim: { title: 'SIM', owns: 'reservations and their expiry' },
  'inventory-service': { title: 'Inventory Service', owns: 'stock counters per SKU and location' },
  'promotion-engine': { title: 'Promotion Engine', owns: 'promotions, vouchers, and voucher uses' },
  'loyalty-platform': { title: 'Loyalty Platform', owns: 'the loyalty ledger, accounts and redemptions' },
  crm: { title: 'CRM', owns: 'customers and their interactions' },
  'clienteling-app': { title: 'Clienteling App', owns: 'no data; it composes the 360 view of a customer' },
} as const satisfies Record<string, { title: string; owns: string }>;

export type Application = keyof typeof applications;

export const applicationNames = Object.keys(applications) as readonly Application[];

/** The eight business domains; each has one event topic. */
export const domains = ['commerce', 'customer', 'fulfillment', 'inventory', 'loyalty', 'order', 'payment', 'promotion'] as const;
export type Domain = (typeof domains)[number];

/** The topic that carries every event about the objects of one domain. */
export const topicOf = (domain: Domain): string => `uc.${domain}.events`;

/** The dead-letter topic of an event topic. It holds records that a consumer could not read or gave up on. */
export const deadLetterTopicOf = (topic: string): string => `${topic}.dlq`;
