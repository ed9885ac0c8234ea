import { expect, test } from '@jest/globals';
import { evaluatePromotions } from '../../services/promotion-engine/evaluation.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { PageOptions } from '../../shared/work/unit-of-work.ts';
import { countingPauses } from '../support/counting-pauses.ts';

const MANY = 900;
const WINDOW = { activeFrom: '2026-01-01T00:00:00.000Z', activeTo: '2027-01-01T00:00:00.000Z' };

test('Evaluate Promotions permits a pause at each promotion that it reads, and at each one that it applies before it refuses', async () => {
  const { breathe, taken } = countingPauses();
  const rule = { ...WINDOW, name: 'Sale', stackable: true, kind: 'percent-off', percent: 1, skus: ['mug-blue'] };
  const items = Array.from({ length: MANY }, (_, place) => ({
    id: `prm_${place}`,
    rule: { ...rule, id: `prm_${place}`, priority: place },
  }));
  let pausesOfRead: PageOptions['breathe'];
  const work = {
    now: Date.parse('2026-03-01T10:00:00Z'),
    figures: { currency: 'EUR' },
    all: async (_of: unknown, page: PageOptions) => {
      pausesOfRead = page.breathe;
      return { items };
    },
  };
  const lines = Array(200).fill({ sku: 'mug-blue', qty: 1, unitPrice: { amount: 1_000_000, currency: 'EUR' } });
  const evaluated = evaluatePromotions.handler({ body: { lines } } as never, { work, breathe } as unknown as Scope);
  await expect(evaluated).rejects.toMatchObject({ code: 'validation_failed' });
  expect(pausesOfRead).toBe(breathe);
  expect(taken()).toBeGreaterThanOrEqual(25);
});
