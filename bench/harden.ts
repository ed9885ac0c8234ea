import { randomUUID } from 'node:crypto';
import type { Family } from '../rehearsal/harden/run.ts';
import { DEMO_CREDENTIALS, EstateRehearsal, HardenFailed, type HardenRun, harden } from '../rehearsal/public.ts';
import type { Benchmark } from './benchmark.ts';
import { type Child, startEstate } from './child-process.ts';
import { compare, inTurn } from './rounds.ts';

/** Families without a misfortune that waits for wall time. */
const FAMILIES: readonly Family[] = ['lost-answers', 'permitted', 'calendar'];
const REPEATS = 100;
/** Repeated cells at the same time. */
const LANES = 4;
const TRIES = 3;
/** Stories without a misfortune in a round of the reference. */
const STORIES = 50;
const CPU_AIM = { of: 'figure', atMost: 100 } as const;
/** 1,000 cells in two minutes. */
const RATE_AIM = { of: 'figure', atLeast: 500 } as const;
const VERDICTS_AIM = { of: 'figure', atMost: 1 } as const;

interface Round {
  readonly perMinute: number;
  /** CPU time of the estate in ms. */
  readonly cpuMs: number;
}

export const hardening: Benchmark = {
  name: 'harden',
  title: `Misfortunes that harden tries with a purchase, against the same purchase in a new rehearsal; and a cell that is tried ${REPEATS} times`,
  onlyByName: true,
  run: async (settings) => {
    await using estate = await startEstate({ profiles: settings.profiles, env: { LOG_LEVEL: 'error' } });
    const access = { gateway: estate.address('gateway'), credentials: DEMO_CREDENTIALS };
    const rounds = await inTurn(settings, 'harden', {
      ours: () =>
        measured(estate, async () => {
          const { cells, findings } = await harden(access, purchase, { families: FAMILIES, parallel: LANES });
          if (findings.length > 0) throw new Error(`The sound purchase has a finding: ${findings[0]?.paragraph}`);
          return cells.filter(({ verdict }) => verdict !== undefined).length;
        }),
      reference: () =>
        measured(estate, async () => {
          const lane = async (): Promise<void> => {
            for (let story = 0; story < STORIES / LANES; story++) await bareStory(access);
          };
          await Promise.all(Array.from({ length: LANES }, lane));
          return Math.ceil(STORIES / LANES) * LANES;
        }),
      warmUps: 1,
    });
    settings.progress(`harden: one cell ${REPEATS} times`);
    const verdicts = await verdictsOf(access);
    return [
      { what: 'cells', unit: 'per minute', ...compare(rounds, ({ perMinute }) => perMinute), aim: RATE_AIM },
      { what: 'CPU time of the estate per cell', unit: 'ms', ...compare(rounds, ({ cpuMs }) => cpuMs), aim: CPU_AIM },
      { what: `verdicts of a cell in ${REPEATS} runs`, unit: '', figure: verdicts.size, aim: VERDICTS_AIM },
    ];
  },
};

/** @param work returns how many stories it tried */
async function measured(estate: Child, work: () => Promise<number>): Promise<Round> {
  const before = await estate.usage();
  const started = performance.now();
  const count = await work();
  const minutes = (performance.now() - started) / 60_000;
  const after = await estate.usage();
  return { perMinute: count / minutes, cpuMs: (after.cpuMicros - before.cpuMicros) / 1_000 / count };
}

type Access = Parameters<typeof harden>[0];

async function bareStory(access: Access): Promise<void> {
  await using rehearsal = await EstateRehearsal.create(access, { seed: 'harden', startsAt: '2026-03-02T10:00:00Z' });
  await purchase(rehearsal);
  await rehearsal.control('settle');
}

/** Repeats a call until it succeeds. @param keyOf the Idempotency-Key of a try */
async function sent<T>(call: (headers: { 'idempotency-key': string }) => Promise<T>, keyOf: (first: string) => string): Promise<T> {
  const first = randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      return await call({ 'idempotency-key': keyOf(first) });
    } catch (error) {
      if (attempt === TRIES) throw error;
    }
  }
}

const ADDRESS = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

/** A purchase that keeps the key of each call. */
async function purchase(rehearsal: EstateRehearsal): Promise<void> {
  const same = (first: string): string => first;
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const basket = await sent(
    (headers) => rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines }, headers }),
    same,
  );
  const params = { id: basket.id };
  const body = { placeOrder: true, shippingAddress: ADDRESS };
  const { orderId = '' } = await sent((headers) => rehearsal.api('checkout-basket-api', { params, body, headers }), same);
  const tender = { type: 'card', token: 'tok_visa' } as const;
  await sent((headers) => rehearsal.api('authorize-payment-api', { body: { orderId, tender }, headers }), same);
  await sent((headers) => rehearsal.api('confirm-order-api', { params: { id: orderId }, headers }), same);
}

/** A mistake: each try has a new key. */
async function twice(rehearsal: EstateRehearsal): Promise<void> {
  const body = { points: 100, reason: 'welcome' };
  await sent(
    (headers) => rehearsal.api('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body, headers }),
    () => randomUUID(),
  );
}

/** The verdicts of one cell in many runs. */
async function verdictsOf(access: Access): Promise<ReadonlySet<string | undefined>> {
  const verdicts = new Set<string | undefined>();
  const lane = async (): Promise<void> => {
    for (let run = 0; run < REPEATS / LANES; run++) {
      const { cells } = await runOf(harden(access, twice, { families: ['lost-answers'], again: 'C1' }));
      for (const { verdict } of cells) verdicts.add(verdict);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return verdicts;
}

const runOf = (run: Promise<HardenRun>): Promise<HardenRun> =>
  run.catch((error: unknown) => {
    if (error instanceof HardenFailed && error.run) return error.run;
    throw error;
  });
