import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { loadTouchpointFixtures } from '../../services/touchpoint-mock/contract/fixtures.ts';
import { isEan13 } from '../../shared/domain/barcode.ts';
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

const CALCULATED = Object.keys(TABLE);
const cents = (amount: number) => Math.round(amount * 100);
const linesOf = ({ response }: Fixture): readonly ResponseLine[] => response.lines ?? [];
const rowOf = (name: string): Row => TABLE[name] ?? { lines: [], total: Number.NaN };

function digestOf({ request, response }: Fixture): string {
  const accepted = linesOf({ response } as Fixture).filter(({ status }) => status === 'ACCEPTED');
  const content = canonicalize({
    touchpointId: request.touchpointId,
    basketId: request.basketId,
    loyaltyCard: request.loyaltyCard ?? null,
    lines: accepted.map(({ ref, barcode, qty, amount }) => ({ ref, barcode, qty, amount })),
    total: response.total,
  });
  return `sha256:${createHash('sha256')
    .update(content ?? '')
    .digest('hex')}`;
}

describe('every calculate fixture', () => {
  test('with status 200 is in the table, and the others are 18 and 19', () => {
    expect([...CALCULATED, '18', '19'].toSorted()).toEqual(CALCULATE_CASES.toSorted());
  });

  test.each(CALCULATED)('%s has the request of the table', (name) => {
    const { lines, add, card } = rowOf(name);
    const { touchpointId, basketId, ...asked } = fixtureOf(name).request;
    expect(asked).toEqual({ lines, ...(add ? { add } : {}), ...(card ? { loyaltyCard: card } : {}) });
    expect([touchpointId, basketId]).toEqual(['SCO-01', 'basket-1001']);
  });

  test.each(CALCULATED)('%s echoes its request line by line', (name) => {
    const fixture = fixtureOf(name);
    const { touchpointId, basketId, loyaltyCard = null, lines, add } = fixture.request;
    expect(fixture.response).toMatchObject({ touchpointId, basketId, loyaltyCard });
    expect(linesOf(fixture).map(({ ref, barcode, qty }) => ({ ref, barcode, qty }))).toEqual([...lines, ...(add ? [add] : [])]);
    const lineIds = linesOf(fixture).map(({ lineId }) => lineId);
    expect(lineIds.every(Number.isInteger)).toBe(true);
    expect(new Set(lineIds).size).toBe(lineIds.length);
  });

  test.each(CALCULATED)('%s has the totals of the table, and they are the sums of its lines', (name) => {
    const { total, saving = 0, cardStatus = null } = rowOf(name);
    const fixture = fixtureOf(name);
    expect(fixture.response).toMatchObject({ total, totalSaving: saving, loyaltyCardStatus: cardStatus });
    expect(linesOf(fixture).reduce((sum, line) => sum + cents(line.amount), 0)).toBe(cents(total));
    expect(linesOf(fixture).reduce((sum, line) => sum + cents(line.saving), 0)).toBe(cents(saving));
  });

  test.each(CALCULATED)('%s rejects exactly the line of the table', (name) => {
    const { rejected } = rowOf(name);
    for (const [position, line] of linesOf(fixtureOf(name)).entries()) {
      const code = rejected?.position === position ? rejected.code : undefined;
      expect([line.status, line.rejection?.code]).toEqual([code ? 'REJECTED' : 'ACCEPTED', code]);
      if (code) expect([line.amount, line.saving]).toEqual([0, 0]);
    }
  });

  test.each(CALCULATED)('%s prices its accepted catalog lines from the list', (name) => {
    for (const line of linesOf(fixtureOf(name)).filter(({ status, priceSource }) => status === 'ACCEPTED' && priceSource === 'CATALOG')) {
      const price = PRICES[line.barcode] ?? Number.NaN;
      const net = line.barcode === OIL && name === '14' ? MEMBER_OIL : price;
      expect(line).toMatchObject({ unitPrice: price, unitOfMeasure: 'EA', weight: null, minAge: null });
      expect([cents(line.amount), cents(line.saving)]).toEqual([cents(net) * line.qty, cents(price - net) * line.qty]);
    }
  });

  test.each(CALCULATED)('%s carries the digest of its own basket', (name) => {
    const fixture = fixtureOf(name);
    expect(fixture.response.digest).toBe(digestOf(fixture));
  });
});

describe('single cases', () => {
  test('the price, weight and item of case 16 are those that the label embeds', () => {
    const [line] = linesOf(fixtureOf('16'));
    expect(line).toMatchObject({ itemCode: HAM_LABEL.slice(2, 7), amount: Number(HAM_LABEL.slice(7, 12)) / 100, unitPrice: 19.96 });
    expect(line).toMatchObject({ unitOfMeasure: 'KG', priceSource: 'LABEL', weight: 0.25 });
    expect(cents((line?.unitPrice ?? 0) * (line?.weight ?? 0))).toBe(cents(line?.amount ?? 0));
  });

  test('an unknown item and a card have neither item code nor description', () => {
    for (const name of ['07', '15']) expect(linesOf(fixtureOf(name))[1]).toMatchObject({ itemCode: '', description: '' });
  });

  test('the refused wine of case 17 has its minimum age', () => {
    expect(linesOf(fixtureOf('17'))[1]).toMatchObject({ minAge: 18 });
  });

  test('the first line of case 08 is intact', () => {
    expect(linesOf(fixtureOf('08'))[0]).toEqual(linesOf(fixtureOf('02'))[0]);
  });

  test('cases 18 and 19 have the request of case 02 and refuse it', () => {
    for (const name of ['18', '19']) expect(fixtureOf(name).request).toEqual(fixtureOf('02').request);
    expect(fixtureOf('18')).toMatchObject({ status: 403, response: { error: 'Touchpoints disabled', code: 'TOUCHPOINTS_DISABLED' } });
    expect(fixtureOf('19')).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '30' },
      response: { error: 'Dedicated operator unavailable', code: 'OPERATOR_UNAVAILABLE' },
    });
  });

  test('case 10 finishes the basket of case 14', () => {
    const calculated = fixtureOf('14');
    const { request, response } = fixtureOf('10');
    expect(request).toEqual({ ...calculated.request, digest: calculated.response.digest, total: 10.37 });
    expect(response).toEqual({
      touchpointId: 'SCO-01',
      basketId: 'basket-1001',
      status: 'FINISHED',
      confirmationRequired: false,
      finishId: expect.any(String),
      retrievalCode: '2980000000171',
      total: 10.37,
      totalSaving: 1,
      finishedAt: expect.any(String),
      repeated: false,
    });
  });

  test('the repeated, the paid and the claimed finish have the request of case 10', () => {
    for (const name of ['10r', '10c', '10claimed']) expect(fixtureOf(name).request).toEqual(fixtureOf('10').request);
    expect(fixtureOf('10r').response).toEqual({ ...fixtureOf('10').response, repeated: true });
    expect(fixtureOf('10c').response).toEqual({ error: 'Basket already paid', code: 'BASKET_PAID', basketId: 'basket-1001' });
    expect(fixtureOf('10claimed').response).toEqual({
      error: 'Basket retrieved at an assisted lane',
      code: 'BASKET_CLAIMED',
      basketId: 'basket-1001',
    });
  });

  test('case 09 sends an outdated digest and receives the current one', () => {
    const stale = fixtureOf('09');
    expect(stale.request.digest).toBe(fixtureOf('04').response.digest);
    expect(stale.response).toMatchObject({ status: 'STALE_DIGEST', confirmationRequired: true });
    expect(stale.response.digest).not.toBe(stale.request.digest);
    expect(stale.response.digest).toBe(digestOf(stale));
    expect(stale.response.lines).toEqual(fixtureOf('14').response.lines);
    expect(stale.response).toMatchObject({ total: 10.37, totalSaving: 1 });
  });

  test('every barcode and the retrieval code have a valid check digit', () => {
    const codes = ALL_CASES.flatMap(
      (name) => JSON.stringify(fixtureOf(name)).match(/"(?:barcode|loyaltyCard|retrievalCode)":"[^"]*"/g) ?? [],
    );
    expect(codes.length).toBeGreaterThan(50);
    for (const code of codes) expect([code, isEan13(code.slice(code.indexOf(':') + 2, -1))]).toEqual([code, true]);
  });
});

describe('a broken fixture stops the start', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'touchpoint-'));
    await cp(new URL('../../fixtures/touchpoint', import.meta.url), join(folder, 'touchpoint'), { recursive: true });
    await cp(new URL('../../fixtures/touchpoint-authorization.json', import.meta.url), join(folder, 'touchpoint-authorization.json'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const start = () => aMock({ fixtures: pathToFileURL(`${folder}/`) });
  const edit = async ({ file, from, to }: { file: string; from: string; to: string }) => {
    const path = join(folder, file);
    const before = await readFile(path, 'utf8');
    expect(before).toContain(from);
    await writeFile(
      path,
      before.replace(from, () => to),
    );
  };

  test('but the unchanged copy does not', async () => {
    expect((await loadTouchpointFixtures(pathToFileURL(`${folder}/`))).cases).toHaveLength(21);
  });

  test.each([
    ['07', '"status": "REJECTED"', '"status": "MAYBE"', '/response/lines/1/status'],
    ['02', '"total": 1.49', '"total": "1.49"', '/response/total'],
    ['02', '"total": 1.49', '"total": 1.495', '/response/total'],
    ['04', '"case": "04"', '"case": "03"', '/case'],
    ['04', '"alias": "calculate"', '"alias": "finish"', '/alias'],
    ['04', '"status": 200', '"status": 201', '/status'],
    ['02', '"qty": 1', '"qty": "one"', '/request/add/qty'],
    ['10', '"digest": "sha256:', '"digest": "sha255:', '/request/digest'],
    ['10', '"status": "FINISHED"', '"status": "DONE"', '/response/status'],
    ['19', '"Retry-After": "30"', '"Retry After": "30"', '/headers/Retry After'],
    ['18', '"code": "TOUCHPOINTS_DISABLED"', '"codex": "x"', '/response'],
    ['01', '"title"', '"subtitle": "x", "title"', '/'],
  ])('in case %s, where %s becomes %s, it names %s', async (name, from, to, pointer) => {
    await edit({ file: `touchpoint/${name}.json`, from, to });
    const error = await start().catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toContain(`${folder}/touchpoint/${name}.json cannot be used: ${pointer}`);
    expect(String(error)).not.toMatch(/Invalid|expected|Unrecognized/);
  });

  test('that is not JSON', async () => {
    await edit({ file: 'touchpoint/06.json', from: '{', to: '' });
    await expect(start()).rejects.toThrow(`${folder}/touchpoint/06.json cannot be used: / – it is not JSON`);
  });

  test('that is missing', async () => {
    await unlink(join(folder, 'touchpoint/16b.json'));
    await expect(start()).rejects.toThrow(`${folder}/touchpoint/16b.json cannot be used: / – it is missing`);
  });

  test('with all mistakes at once, a line each', async () => {
    await edit({ file: 'touchpoint/02.json', from: '"qty": 1', to: '"qty": "one"' });
    await edit({ file: 'touchpoint/06.json', from: '{', to: '' });
    await writeFile(join(folder, 'touchpoint/05.json'), '{}');
    const error = await start().catch((thrown: Error) => thrown);
    expect(
      String(error)
        .split('\n')
        .map((line) => line.replace(/^FixtureError: /, '')),
    ).toEqual([
      `${folder}/touchpoint/05.json cannot be used: / – it belongs to no case of the contract.`,
      `${folder}/touchpoint/02.json cannot be used: /request/add/qty – this must be a number, not text.`,
      expect.stringMatching(/\/touchpoint\/06\.json cannot be used: \/ – it is not JSON, from line 2, column \d+ on\.$/),
    ]);
  });

  test('that belongs to no case', async () => {
    await writeFile(join(folder, 'touchpoint/05.json'), '{}');
    await expect(start()).rejects.toThrow(`${folder}/touchpoint/05.json cannot be used`);
  });

  test('among the authorization fixtures', async () => {
    await edit({ file: 'touchpoint-authorization.json', from: '"revoked"', to: '"expired"' });
    await expect(start()).rejects.toThrow(`${folder}/touchpoint-authorization.json cannot be used: /5/name`);
  });
});

describe('an invalid configuration stops the start', () => {
  test.each(['', 'two words', 'schlüssel', 'tab\t'])('store key "%s"', async (storeKey) => {
    await expect(aMock({ storeKey })).rejects.toThrow('store key');
  });

  test('no lane, or an empty one', async () => {
    await expect(aMock({ lanes: [] })).rejects.toThrow('lane');
    await expect(aMock({ lanes: ['SCO-01', ''] })).rejects.toThrow('lane');
  });

  test('a key or lane that the fixtures use as a refused one', async () => {
    await expect(aMock({ storeKey: 'demo-revoked-store-key' })).rejects.toThrow('"revoked"');
    await expect(aMock({ storeKey: 'demo-other-store-key' })).rejects.toThrow('"other-store"');
    await expect(aMock({ lanes: ['SCO-01', 'SCO-99'] })).rejects.toThrow('"wrong-lane"');
  });
});
