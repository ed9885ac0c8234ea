import { expect, test } from '@jest/globals';
import { checkDigit } from '../../shared/domain/barcode.ts';
import { ownFolder } from '../support/own-folder.ts';
import { eur } from '../support/steps/tender.ts';

const now = Date.parse('2026-03-01T10:00:00.000Z');
const { load, refusal } = ownFolder();

const HEADER = 'sku,gtin,name,brand,description,price,taxRate';
const KETTLE = 'kettle,9780201379624,Kettle,Hob,Boils.,49.00,23';
const STOCK = 'sku,onHand.dc-01,onHand.store-01,safetyStock.store-01\nkettle,5,3,1\n';
const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n`;

test('CSV files have the products and their stock, with amounts in major units', async () => {
  const header = `${HEADER},compareAtPrice,minAge,attributes.colour,attributes.litres,attributes.cordless,media.0.type,media.0.url,media.0.alt,state`;
  const rows = [
    `${KETTLE},59.5,18,steel,1.7,true,image,https://shop.example/kettle.jpg,"Kettle, steel",draft`,
    'pot,9780306406157,"Pot ""Oslo""",Hob,"Holds\ntea.",8,13.5,,,,,,,,,',
  ];
  const stock = 'sku,onHand.dc-01,onHand.store-01,safetyStock.store-01\nkettle,5,3,1\npot,0,,\n';
  const { products, stock: kept } = (await load({ 'products.csv': lines(header, ...rows), 'stock.csv': stock })).at(now);
  expect(products).toMatchObject([
    {
      sku: 'kettle',
      gtin: '9780201379624',
      price: eur(4900),
      compareAtPrice: eur(5950),
      minAge: 18,
      taxRate: 23,
      attributes: { colour: 'steel', litres: 1.7, cordless: true },
      media: [{ type: 'image', url: 'https://shop.example/kettle.jpg', alt: 'Kettle, steel' }],
      state: 'draft',
    },
    {
      sku: 'pot',
      name: 'Pot "Oslo"',
      description: 'Holds\ntea.',
      price: eur(800),
      taxRate: 13.5,
      attributes: {},
      media: [],
      state: 'active',
    },
  ]);
  expect(products[1]).not.toHaveProperty('compareAtPrice');
  expect(kept).toEqual([
    { sku: 'kettle', onHand: { 'dc-01': 5, 'store-01': 3 }, safetyStock: { 'store-01': 1 } },
    { sku: 'pot', onHand: { 'dc-01': 0 } },
  ]);
});

test('The stock may have a line for each location', async () => {
  const stock = lines('location,sku,onHand,safetyStock', 'dc-01,kettle,5,', 'store-01,kettle,3,1');
  const { stock: kept } = (await load({ 'products.csv': lines(HEADER, KETTLE), 'stock.csv': stock })).at(now);
  expect(kept).toEqual([{ sku: 'kettle', onHand: { 'dc-01': 5, 'store-01': 3 }, safetyStock: { 'store-01': 1 } }]);
});

test('A file that a spreadsheet saved may have a byte order mark, semicolons or tabs, a line sep=, CRLF, and empty lines and columns', async () => {
  const excel = `\ufeff${lines(HEADER, KETTLE, ',,,,,,', '').replaceAll(',', ';')}\r\n;;;;;;\r\n`;
  const tabs = lines(HEADER, KETTLE).replaceAll(',', '\t');
  const withTail = lines(`${HEADER},,`, `${KETTLE},,`, `${KETTLE.replace('kettle,9780201379624', 'pot,9780306406157')},`).replaceAll(
    ',',
    ';',
  );
  const stock = `${STOCK}pot,0,,\n`;
  for (const [sheet, skus] of [
    [excel, ['kettle']],
    [tabs, ['kettle']],
    [`sep=;\r\n${withTail}`, ['kettle', 'pot']],
  ] as const) {
    const { products } = (await load({ 'products.csv': sheet, 'stock.csv': skus.length === 1 ? STOCK : stock })).at(now);
    expect(products.map(({ sku, price }) => [sku, price.amount])).toEqual(skus.map((sku) => [sku, 4900]));
  }
});

test('A CSV file and an overlay together are the products', async () => {
  const overlay = JSON.stringify([{ sku: 'kettle', price: { amount: 4500 } }]);
  const { products } = (await load({ 'products.csv': lines(HEADER, KETTLE), 'products.overlay.json': overlay, 'stock.csv': STOCK })).at(
    now,
  );
  expect(products.map(({ price }) => price)).toEqual([{ amount: 4500, currency: 'EUR' }]);
});

const cell = (index: number, text: string): string => KETTLE.split(',').with(index, text).join(',');
const [SKU, GTIN, NAME, , , PRICE, TAX] = [0, 1, 2, 3, 4, 5, 6] as const;

const refused: readonly (readonly [products: string | Buffer, mistake: string])[] = [
  [
    lines(HEADER, cell(PRICE, '"12,99"')),
    'line 2, column price – this must be a price in EUR such as 12.99, without signs and with a dot for decimals.',
  ],
  [lines(HEADER, cell(PRICE, '12.999')), 'line 2, column price – EUR has 2 decimals.'],
  [lines(HEADER, cell(PRICE, '€12.99')), 'line 2, column price – this must be a price'],
  [lines(HEADER, cell(PRICE, '-1')), 'line 2, column price – this must be a price'],
  [lines(HEADER, cell(PRICE, '1e3')), 'line 2, column price – this must be a price'],
  [lines(HEADER, cell(PRICE, '99999999999999999999')), 'line 2, column price – this must be a price'],
  [lines(HEADER, cell(PRICE, '0')), 'line 2, column price – this must be from 1 to 999999999.'],
  [lines(HEADER, cell(PRICE, '')), 'line 2, column price – this member is required.'],
  [
    lines(HEADER, cell(GTIN, '9.7802E+12')),
    'line 2, column gtin – a spreadsheet has shortened this number to 9.7802E+12; format the column as text',
  ],
  [lines(HEADER, cell(GTIN, '9780201379625')), 'line 2, column gtin – the last digit is not the check digit'],
  [lines(HEADER, cell(TAX, 'high')), 'line 2, column taxRate – this must be a number, not text.'],
  [lines(HEADER, cell(SKU, 'ket tle')), 'line 2, column sku – this must have only letters'],
  [lines(HEADER, cell(SKU, '')), 'line 2, column sku – this member is required.'],
  [lines(HEADER, cell(NAME, '"  "')), 'line 2, column name – this member is required.'],
  [lines(HEADER, KETTLE, '', cell(GTIN, '9780306406157')), 'line 4, column sku – the same as in line 2.'],
  [lines(HEADER, `${KETTLE},x`), 'line 2 – it has 8 cells, but there are 7 columns.'],
  [lines(HEADER, 'kettle'), 'line 2 – it has 1 cells, but there are 7 columns.'],
  [lines(HEADER.replace('price', 'prise'), KETTLE), 'line 1, column prise – there is no member prise; did you mean price?'],
  [lines(HEADER.replace('name', 'sku'), KETTLE), 'line 1, column sku – the earlier column sku fills the same member.'],
  [lines(HEADER.replace('name', 'price.amount'), KETTLE), 'line 1, column price – the earlier column price.amount fills the same member.'],
  [lines(HEADER.replace('name', ''), KETTLE), 'line 1, column 3 – it has no name.'],
  [lines(HEADER.replace('name', '__proto__'), KETTLE), 'line 1, column __proto__ – there is no member __proto__.'],
  [lines(HEADER.replace('name', 'attributes.__proto__'), KETTLE), 'line 1, column attributes.__proto__ – no member can have this name.'],
  [lines(HEADER.replace('name', 'media'), KETTLE), 'line 1, column media – it needs a member, such as media.0.'],
  [lines(HEADER.replace('name', 'media.x'), KETTLE), 'line 1, column media.x – a list is filled by position, such as media.0.url.'],
  [lines(HEADER.replace('name', 'name.first'), KETTLE), 'line 1, column name.first – it has no members.'],
  [lines('sep=,', HEADER, cell(TAX, 'high')), 'line 3, column taxRate – this must be a number'],
  [lines(HEADER, ',,,,,,'), 'line 1 – the header has no rows below it; add rows, or remove the file.'],
  ['', 'line 1 – it is empty; its first line names the columns.'],
  [`${HEADER}\nkettle,"9780201379624,Kettle\n`, 'line 2 – a quotation mark opens and is not closed before the end of the file.'],
  [lines(HEADER, cell(NAME, '"Kettle"x')), 'line 2 – after a closing quotation mark comes the next column'],
  [lines(HEADER, cell(NAME, 'Kettle "x"')), 'line 2 – a quotation mark stands within a text'],
  [
    Buffer.from(lines(HEADER, cell(NAME, 'K\xe4ttle')), 'latin1'),
    'line 1 – it is not UTF-8; save it in this encoding, which Excel calls CSV UTF-8.',
  ],
  [Buffer.from(lines(HEADER, KETTLE), 'utf16le'), 'line 1 – it has NUL, so it is not text'],
];

test.each(refused.map(([products, mistake]) => ({ products, mistake })))(
  'CSV products are refused: $mistake',
  async ({ products, mistake }) =>
    expect((await refusal({ 'products.csv': products, 'stock.csv': STOCK })).join('\n')).toContain(`products.csv ${mistake}`),
);

const refusedStock: readonly (readonly [stock: string, mistake: string])[] = [
  ['sku,onHand.dc-09\nkettle,1', 'line 2, column onHand.dc-09 – there is no location "dc-09".'],
  ['sku,onHand.dc-01\nkettle,1.5', 'line 2, column onHand.dc-01 – this must be a whole number in digits alone, such as 1200.'],
  ['sku,onHand.dc-01\nkettle,many', 'line 2, column onHand.dc-01 – this must be a whole number in digits alone, such as 1200.'],
  ['sku,onHand.dc-01\nkettle,1.000', 'line 2, column onHand.dc-01 – this must be a whole number in digits alone'],
  ['sku,onHand.dc-01\nkettle,"1,000"', 'line 2, column onHand.dc-01 – this must be a whole number in digits alone'],
  ['sku,onHand.dc-01\nkettle,-1', 'line 2, column onHand.dc-01 – this must be at least 0.'],
  ['sku,location,onHand\nkettle,dc-01,5.0', 'line 2, column onHand – this must be a whole number in digits alone'],
  ['sku,location,onHand,safetyStock\nkettle,dc-01,5,1.000', 'line 2, column safetyStock – this must be a whole number in digits alone'],
  ['sku,onHand.dc-01\nkettle,1\nlamp,1', 'line 3, column sku – there is no product "lamp".'],
  [
    'sku,location,onHand\nkettle,dc-01,1\nkettle,dc-01,2',
    'line 3, column location – line 2 has the stock of this SKU at this location already.',
  ],
  ['sku,location,onHand\nkettle,dc-09,1', 'line 2, column onHand – there is no location "dc-09".'],
  ['sku,location,onHand\nkettle,dc-01,x', 'line 2, column onHand – this must be a whole number in digits alone, such as 1200.'],
  [
    'sku,location,onhand\nkettle,dc-01,1',
    'line 1, column onhand – with a column location, the columns are sku, location, onHand, safetyStock; did you mean onHand?',
  ],
  ['sku,location,onHand\n,dc-01,1', 'line 2, column sku – this member is required.'],
];

test.each(refusedStock.map(([stock, mistake]) => ({ stock, mistake })))('CSV stock is refused: $mistake', async ({ stock, mistake }) =>
  expect((await refusal({ 'products.csv': lines(HEADER, KETTLE), 'stock.csv': stock })).join('\n')).toContain(`stock.csv ${mistake}`),
);

test('A mistake that many rows share takes few lines, and names the file of the folder', async () => {
  const skus = Array.from({ length: 30 }, (_, index) => `pot-${index}`);
  const pots = skus.map((sku, index) => {
    const digits = `9783000000${String(index).padStart(2, '0')}`;
    return cell(SKU, sku).replace('9780201379624', `${digits}${checkDigit(digits)}`);
  });
  const contents = {
    'products.csv': lines(HEADER, ...pots),
    'stock.csv': STOCK.replace('kettle', 'lamp'),
    'gift-cards.json': [{ token: 'a', balance: { amount: -1, currency: 'EUR' } }],
  };
  const add = 'add one, with 0 if it is sold out.';
  expect(await refusal(contents)).toEqual([
    ...[0, 1, 2].map((index) => `products.csv line ${index + 2}, column sku – stock.csv has no row for "pot-${index}"; ${add}`),
    'products.csv: 27 more mistakes like the previous one',
    'stock.csv line 2, column sku – there is no product "lamp".',
    'gift-cards.json /0/balance/amount – this must be from 0 to 999999999999.',
  ]);
});

test('CSV and JSON of the same rows are refused', async () =>
  expect(await refusal({ 'products.csv': lines(HEADER, KETTLE), 'products.json': '[]' })).toEqual([
    'products.csv / – products.json is there too; remove one of them.',
  ]));

test('All mistakes of a CSV file are reported together', async () => {
  const products = lines(HEADER, cell(PRICE, 'free'), `${cell(PRICE, '1.234')},x`);
  expect(await refusal({ 'products.csv': products, 'stock.csv': STOCK })).toEqual([
    expect.stringContaining('line 2, column price'),
    expect.stringContaining('line 3 – it has 8 cells'),
    expect.stringContaining('line 3, column price'),
  ]);
});
