import { createHash } from 'node:crypto';
import { readFile, unlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { loadTouchpointFixtures } from '../../services/touchpoint-mock/contract/fixtures.ts';
import { isEan13 } from '../../shared/domain/barcode.ts';
import { copiedFixtures } from '../support/folder.ts';
import { ALL_CASES, aMock, CALCULATE_CASES, type Fixture, fixtureOf, type Line, type ResponseLine } from './running-touchpoint.ts';

const MILK = '8000000000019';
const PASTA = '8000000000026';
const OIL = '8000000000033';
const WINE = '8000000000187';
const UNKNOWN = '8000000000095';
const HAM_LABEL = '2101234004999';
const CARD = '2990000123459';

const PRICES: Readonly<Record<string, number>> = { [MILK]: 1.49, [PASTA]: 0.99, [OIL]: 7.9 };
const MEMBER_OIL = 6.9;

const l = (ref: string, barcode: string, qty = 1): Line => ({ ref, barcode, qty });
const L1 = l('L1', MILK);
const L2 = l('L2', PASTA, 2);
const L3 = l('L3', OIL);

interface Row {
  readonly lines: readonly Line[];
  readonly add?: Line;
  readonly card?: string;
  readonly rejected?: { readonly position: number; readonly code: string };
  readonly total: number;
  readonly saving?: number;
  readonly cardStatus?: string;
}

/** Requests and answers of the answered calculate cases, from the contract's table of cases. */
const TABLE: Readonly<Record<string, Row>> = {
  '01': { lines: [], total: 0 },
  '02': { lines: [], add: L1, total: 1.49 },
  '03': { lines: [L1], add: L2, total: 3.47 },
  '04': { lines: [L1, L2], add: L3, total: 11.37 },
  '06': { lines: [L1, L3], total: 9.39 },
  '07': { lines: [L1], add: l('L2', UNKNOWN), rejected: { position: 1, code: 'UNKNOWN_ITEM' }, total: 1.49 },
  '08': { lines: [L1], add: l('L1', PASTA), rejected: { position: 1, code: 'DUPLICATE_REF' }, total: 1.49 },
  '14': { lines: [L1, L2, L3], card: CARD, cardStatus: 'ACCEPTED', total: 10.37, saving: 1 },
  '14refused': { lines: [L1, L2, L3], card: CARD, cardStatus: 'REFUSED', total: 11.37 },
  '14unavailable': { lines: [L1, L2, L3], card: CARD, cardStatus: 'UNAVAILABLE', total: 11.37 },
  '15': { lines: [L1], add: l('L2', CARD), rejected: { position: 1, code: 'LOYALTY_CARD_AS_ITEM' }, total: 1.49 },
  '16': { lines: [], add: l('L1', HAM_LABEL), total: 4.99 },
  '16b': { lines: [], add: l('L1', HAM_LABEL, 2), rejected: { position: 0, code: 'LABEL_QTY_NOT_ONE' }, total: 0 },
  '17': { lines: [L1], add: l('L2', WINE), rejected: { position: 1, code: 'AGE_RESTRICTED' }, total: 1.49 },
};

const cents = (amount: number) => Math.round(amount * 100);
const linesOf = ({ response }: Pick<Fixture, 'response'>): readonly ResponseLine[] => response.lines ?? [];

function digestOf({ request, response }: Fixture): string {
  const accepted = linesOf({ response }).filter(({ status }) => status === 'ACCEPTED');
  const lines = accepted.map(({ ref, barcode, qty, amount }) => ({ ref, barcode, qty, amount }));
  const { touchpointId, basketId, loyaltyCard = null } = request;
  const content = canonicalize({ touchpointId, basketId, loyaltyCard, lines, total: response.total });
  const digest = createHash('sha256').update(content ?? '');
  return `sha256:${digest.digest('hex')}`;
}

test('Every calculate fixture with status 200 is in the table, and the others are 18 and 19', () =>
  expect([...Object.keys(TABLE), '18', '19'].toSorted()).toEqual(CALCULATE_CASES.toSorted()));

test.each(Object.entries(TABLE))('Fixture %s has the request of the table and echoes it line by line', (name, { lines, add, card }) => {
  const fixture = fixtureOf(name);
  const basket = { touchpointId: 'SCO-01', basketId: 'basket-1001' };
  expect(fixture.request).toEqual({ ...basket, lines, ...(add && { add }), ...(card && { loyaltyCard: card }) });
  expect(fixture.response).toMatchObject({ ...basket, loyaltyCard: card ?? null, digest: digestOf(fixture) });
  expect(linesOf(fixture).map(({ ref, barcode, qty }) => ({ ref, barcode, qty }))).toEqual([...lines, ...(add ? [add] : [])]);
  const lineIds = linesOf(fixture).map(({ lineId }) => lineId);
  expect(lineIds.every(Number.isInteger)).toBe(true);
  expect(new Set(lineIds).size).toBe(lineIds.length);
});

test.each(Object.entries(TABLE))(
  'Fixture %s has the totals and the rejected line of the table, and prices the others from the list',
  (name, row) => {
    const fixture = fixtureOf(name);
    const { total, rejected, saving = 0, cardStatus = null } = row;
    expect(fixture.response).toMatchObject({ total, totalSaving: saving, loyaltyCardStatus: cardStatus });
    const sum = (member: 'amount' | 'saving') => linesOf(fixture).reduce((all, line) => all + cents(line[member]), 0);
    expect([sum('amount'), sum('saving')]).toEqual([cents(total), cents(saving)]);
    for (const [position, line] of linesOf(fixture).entries()) {
      const code = rejected?.position === position ? rejected.code : undefined;
      expect([line.status, line.rejection?.code]).toEqual([code ? 'REJECTED' : 'ACCEPTED', code]);
      if (code) expect([line.amount, line.saving]).toEqual([0, 0]);
      if (code || line.priceSource !== 'CATALOG') continue;
      const price = PRICES[line.barcode] ?? Number.NaN;
      const net = line.barcode === OIL && name === '14' ? MEMBER_OIL : price;
      expect(line).toMatchObject({ unitPrice: price, unitOfMeasure: 'EA', weight: null, minAge: null });
      expect([cents(line.amount), cents(line.saving)]).toEqual([cents(net) * line.qty, cents(price - net) * line.qty]);
    }
  },
);

test('Fixture 16 has the price, weight and item that its label embeds', () => {
  const [line] = linesOf(fixtureOf('16'));
  expect(line).toMatchObject({ itemCode: HAM_LABEL.slice(2, 7), amount: Number(HAM_LABEL.slice(7, 12)) / 100, unitPrice: 19.96 });
  expect(line).toMatchObject({ unitOfMeasure: 'KG', priceSource: 'LABEL', weight: 0.25 });
  expect(cents((line?.unitPrice ?? 0) * (line?.weight ?? 0))).toBe(cents(line?.amount ?? 0));
});

test('Fixtures 07, 15, 17 and 08 describe the lines around a rejection', () => {
  for (const name of ['07', '15']) expect(linesOf(fixtureOf(name))[1]).toMatchObject({ itemCode: '', description: '' });
  expect(linesOf(fixtureOf('17'))[1]).toMatchObject({ minAge: 18 });
  expect(linesOf(fixtureOf('08'))[0]).toEqual(linesOf(fixtureOf('02'))[0]);
});

test('Fixtures 18 and 19 have the request of case 02 and refuse it', () => {
  for (const name of ['18', '19']) expect(fixtureOf(name).request).toEqual(fixtureOf('02').request);
  expect(fixtureOf('18')).toMatchObject({ status: 403, response: { error: 'Touchpoints disabled', code: 'TOUCHPOINTS_DISABLED' } });
  const response = { error: 'Dedicated operator unavailable', code: 'OPERATOR_UNAVAILABLE' };
  expect(fixtureOf('19')).toMatchObject({ status: 503, headers: { 'Retry-After': '30' }, response });
});

test('Fixture 10 finishes the basket of case 14; the repeated, the paid and the claimed finish have its request', () => {
  const calculated = fixtureOf('14');
  const { request, response } = fixtureOf('10');
  const basketId = 'basket-1001';
  const text = expect.any(String);
  expect(request).toEqual({ ...calculated.request, digest: calculated.response.digest, total: 10.37 });
  const finished = { status: 'FINISHED', confirmationRequired: false, finishId: text, retrievalCode: '2980000000171', finishedAt: text };
  expect(response).toEqual({ touchpointId: 'SCO-01', basketId, ...finished, total: 10.37, totalSaving: 1, repeated: false });
  for (const [name, answer] of [
    ['10r', { ...response, repeated: true }],
    ['10c', { error: 'Basket already paid', code: 'BASKET_PAID', basketId }],
    ['10claimed', { error: 'Basket retrieved at an assisted lane', code: 'BASKET_CLAIMED', basketId }],
  ] as const)
    expect([fixtureOf(name).request, fixtureOf(name).response]).toEqual([request, answer]);
});

test('Fixture 09 sends an outdated digest and receives the current one', () => {
  const { request, response } = fixtureOf('09');
  expect(request.digest).toBe(fixtureOf('04').response.digest);
  expect(response).toMatchObject({ status: 'STALE_DIGEST', confirmationRequired: true, total: 10.37, totalSaving: 1 });
  expect(response.digest).not.toBe(request.digest);
  expect(response.digest).toBe(digestOf(fixtureOf('09')));
  expect(response.lines).toEqual(fixtureOf('14').response.lines);
});

test('Every barcode, card and retrieval code of the fixtures has a valid check digit', () => {
  const members = /"(?:barcode|loyaltyCard|retrievalCode)":"([^"]*)"/g;
  const codes = ALL_CASES.flatMap((name) => [...JSON.stringify(fixtureOf(name)).matchAll(members)].map(([, code = '']) => code));
  expect(codes.length).toBeGreaterThan(50);
  expect(codes.filter((code) => !isEan13(code))).toEqual([]);
});

describe('A broken fixture', () => {
  let folder: Awaited<ReturnType<typeof copiedFixtures>>;
  beforeEach(async () => {
    folder = await copiedFixtures();
  });
  afterEach(() => folder.remove());

  /** Lines of the error that stops the start. */
  const failure = async (): Promise<string[]> => {
    const error = await aMock({ fixtures: folder.url }).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    return String(error)
      .replace(/^FixtureError: /, '')
      .split('\n')
      .map((line) => line.replace(`${folder.path}/`, ''));
  };
  const edit = async (file: string, from: string, to: string) => {
    const before = await readFile(folder.at(file), 'utf8');
    expect(before).toContain(from);
    // A function, because the text may contain a $.
    const after = before.replace(from, () => to);
    await folder.write(file, after);
  };

  test('An unchanged copy of the fixtures is loaded', async () =>
    expect((await loadTouchpointFixtures(folder.url)).cases).toHaveLength(21));

  test.each([
    ['07', '"status": "REJECTED"', '"status": "MAYBE"', '/response/lines/1/status'],
    ['02', '"total": 1.49', '"total": "1.49"', '/response/total'],
    ['04', '"case": "04"', '"case": "03"', '/case'],
    ['02', '"qty": 1', '"qty": "one"', '/request/add/qty'],
    ['10', '"digest": "sha256:', '"digest": "sha255:', '/request/digest'],
    ['19', '"Retry-After": "30"', '"Retry After": "30"', '/headers/Retry After'],
    ['01', '"title"', '"subtitle": "x", "title"', '/'],
  ])('A broken fixture %s, where %s becomes %s, is named with %s', async (name, from, to, pointer) => {
    await edit(`touchpoint/${name}.json`, from, to);
    const [line] = await failure();
    expect(line).toContain(`touchpoint/${name}.json cannot be used: ${pointer}`);
    expect(line).not.toMatch(/Invalid|expected|Unrecognized/);
  });

  test('Broken fixtures are named together, a line each', async () => {
    await edit('touchpoint/02.json', '"qty": 1', '"qty": "one"');
    await edit('touchpoint/06.json', '{', '');
    await unlink(folder.at('touchpoint/16b.json'));
    await folder.write('touchpoint/05.json', {});
    expect(await failure()).toEqual([
      'touchpoint/05.json cannot be used: / – it belongs to no case of the contract.',
      'touchpoint/02.json cannot be used: /request/add/qty – this must be a number, not text.',
      expect.stringMatching(/^touchpoint\/06\.json cannot be used: \/ – it is not JSON, from line 2, column \d+ on\.$/),
      expect.stringMatching(/^touchpoint\/16b\.json cannot be used: \/ – it is missing/),
    ]);
  });

  test('A broken authorization fixture stops the start, and the message names it', async () => {
    await edit('touchpoint-authorization.json', '"revoked"', '"expired"');
    expect(await failure()).toMatchObject([expect.stringContaining('touchpoint-authorization.json cannot be used: /5/name')]);
  });
});

test.each<[string, Parameters<typeof aMock>[0], string]>([
  ['an empty store key', { storeKey: '' }, 'store key'],
  ['a store key with a tab', { storeKey: 'tab\t' }, 'store key'],
  ['no lane', { lanes: [] }, 'lane'],
  ['the revoked key of the fixtures', { storeKey: 'demo-revoked-store-key' }, '"revoked"'],
  ['the key of another store', { storeKey: 'demo-other-store-key' }, '"other-store"'],
  ['the wrong lane of the fixtures', { lanes: ['SCO-01', 'SCO-99'] }, '"wrong-lane"'],
])('The touchpoint mock does not start with %s', async (_what, options, reason) => expect(aMock(options)).rejects.toThrow(reason));
