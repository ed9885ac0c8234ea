/** The owning applications of the estate, named as in the source document. Most APIs of an application belong to its `domain`. */
export const applications = {
  pos: { title: 'POS', domain: 'commerce', owns: 'transactions at the till, and their receipts' },
  'ecommerce-platform': { title: 'eCommerce Platform', domain: 'commerce', owns: 'baskets, products and prices' },
  oms: { title: 'OMS', domain: 'order', owns: 'orders' },
  'payment-hub': { title: 'Payment Hub', domain: 'payment', owns: 'payments, refunds and gift-card balances' },
  fms: { title: 'FMS', domain: 'fulfillment', owns: 'fulfillment orders and returns' },
  wms: { title: 'WMS', domain: 'fulfillment', owns: 'picking orders' },
  'carrier-platform': { title: 'Carrier Platform', domain: 'fulfillment', owns: 'shipments, labels and scans' },
  sim: { title: 'SIM', domain: 'inventory', owns: 'reservations and their expiry' },
  'inventory-service': { title: 'Inventory Service', domain: 'inventory', owns: 'stock counters per SKU and location' },
  'promotion-engine': { title: 'Promotion Engine', domain: 'promotion', owns: 'promotions, vouchers, and voucher uses' },
  'loyalty-platform': { title: 'Loyalty Platform', domain: 'loyalty', owns: 'the loyalty ledger, accounts and redemptions' },
  crm: { title: 'CRM', domain: 'customer', owns: 'customers and their interactions' },
  'clienteling-app': { title: 'Clienteling App', domain: 'customer', owns: 'no data; it composes the 360 view of a customer' },
} as const satisfies Record<string, { title: string; domain: Domain; owns: string }>;

export type Application = keyof typeof applications;

export const applicationNames = Object.keys(applications) as readonly Application[];

/** The gateway keeps records and due work in a rehearsal as an application does: the registered webhooks and their deliveries. */
export const GATEWAY = 'gateway';

/** Owners of records and due work. */
export type Owner = Application | typeof GATEWAY;
export const owners: readonly Owner[] = [...applicationNames, GATEWAY];

/** The eight business domains; each has one event topic. */
export const domains = ['commerce', 'customer', 'fulfillment', 'inventory', 'loyalty', 'order', 'payment', 'promotion'] as const;
export type Domain = (typeof domains)[number];

/** The topic that carries every event about the objects of one domain. */
export const topicOf = (domain: Domain): string => `uc.${domain}.events`;

/** The dead-letter topic of an event topic. It receives records that a consumer could not read, or could not consume after several attempts. */
export const deadLetterTopicOf = (topic: string): string => `${topic}.dlq`;
