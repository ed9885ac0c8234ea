import { eur } from './steps/tender.ts';

/** A product that a user adds to the data. */
export const kettle = {
  sku: 'kettle',
  gtin: '9780201379624',
  name: 'Kettle',
  description: 'Boils.',
  brand: 'Hob',
  price: eur(4900),
  taxRate: 23,
};
