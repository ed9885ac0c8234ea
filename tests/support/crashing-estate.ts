import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { request } from 'undici';
import { verifyWorld } from '../../control/verify/verify.ts';
import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import { seedData } from '../../estate/seeding.ts';
import { loadFixtures } from '../../fixtures/load.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { WorldData } from '../../shared/store/ports/world-data.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { type Crash, DEADLINE_MS, type Leases, type MortalApplications, startMortalApplications } from './mortal-applications.ts';

export type { Crash };

/** Wall time after which a client stops retrying. */
const PATIENCE_MS = 60_000;
/** Wall time between two attempts of a client. */
const PAUSE_MS = 20;
/** Wall time beyond the deadline that a client waits for an answer. */
const ANSWER_MARGIN_MS = 300;

/** Worlds with the same figures share one seed, because reading and checking the fixtures takes longer than most tests. */
const reading = new Map<string, Promise<WorldData>>();
function seeded(retailer: object): Promise<WorldData> {
  const read = async (): Promise<WorldData> => {
    const began = Date.now();
    const { fixtures } = await (await loadFixtures()).with({ retailer }, began, () => undefined);
    return seedData(fixtures, began);
  };
  const key = JSON.stringify(retailer);
  const found = reading.get(key) ?? read();
  reading.set(key, found);
  return found;
}

/** Idle applications for reuse, because starting them takes longer than a restart after a crash. */
const free: MortalApplications[] = [];
const started: MortalApplications[] = [];
afterAll(async () => {
  for (const applications of started) await applications.close();
});

async function applicationsFor(leases: Leases): Promise<MortalApplications> {
  const found = leases === 'end' ? free.pop() : undefined;
  if (found) return found;
  const applications = await startMortalApplications(leases);
  started.push(applications);
  return applications;
}

let opened = 0;

interface CrashingOptions {
  readonly leases?: Leases;
  readonly from?: WorldData;
  /** Figures of the retailer that differ from the defaults. */
  readonly retailer?: object;
}

/**
 * A world in an estate whose applications crash on request. The estate has no other world until this one is closed, so that
 * crashes are caused by this world only.
 */
export async function crashingEstate({ leases = 'end', from, retailer = {} }: CrashingOptions = {}) {
  const applications = await applicationsFor(leases);
  const { worlds, driver, addressOf, token, agent } = applications;
  const seed = from ?? (await seeded(retailer));
  const rehearsal = `crash-${++opened}`;
  const world = await worlds.open(rehearsal, seed, { bearer: '', apiKey: '', webhookSecret: 'whsec_Y3Jhc2g=' });
  // A test counts only the commits of its steps.
  await worlds.setProgression(world, { warehouse: 'manual' });
  const crashesBefore = applications.crashes();
  applications.arm(world, undefined);
  const now = async (): Promise<number> => (await worlds.current(world))?.now ?? seed.now;

  async function ask(application: Application, method: string, path: string, body: unknown, key: string) {
    const ids = { principal: 'tester', requestId: newId('req', seed.now), correlationId: 'crash' };
    const context = { world, now: await now(), ...ids, deadline: Date.now() + DEADLINE_MS[leases], faults: 0, chain: [] };
    const headers = { [CONTEXT_HEADER]: encodeContext(context), [TOKEN_HEADER]: token, 'idempotency-key': key };
    const response = await request(`${addressOf(application)}${path}`, {
      method: method as 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
      dispatcher: agent,
      signal: AbortSignal.timeout(DEADLINE_MS[leases] + ANSWER_MARGIN_MS),
    });
    const text = await response.body.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests read replies without a schema
    return { status: response.statusCode, body: (text === '' ? undefined : JSON.parse(text)) as any };
  }

  /** As a careful client would: the same request with the same key again, until the answer is definite. */
  async function insist(application: Application, method: string, path: string, body?: unknown, key = `${method} ${path}`) {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const reply = await ask(application, method, path, body, key).catch(() => undefined);
      if (reply && reply.status < 500 && reply.body?.retryable !== true) return reply;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new Error(`${method} ${path} never got a definite answer.`);
  }

  /** Retries a request with its own key until it succeeds. @returns the body of the answer */
  async function ok(application: Application, method: string, path: string, body?: unknown) {
    const reply = await insist(application, method, path, body, randomUUID());
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  return {
    ask,
    insist,
    ok,
    /** Arms one crash, counted from now. */
    crashAt: (next: Crash | undefined): void => applications.arm(world, next),
    commits: applications.commits,
    crashes: (): number => applications.crashes() - crashesBefore,
    advance: (ms: number) => applications.rest(async () => driver.advance(world, (await now()) + ms, 20_000)),
    settle: () => applications.rest(() => driver.settle(world, 20_000)),
    /** The data of the settled world, to open other worlds with. */
    async data(): Promise<WorldData> {
      const { settled, waitingFor } = await applications.rest(() => driver.settle(world, 20_000));
      if (!settled) throw new Error(`not settled: ${waitingFor.join(', ')}`);
      return worlds.data(world);
    },
    ledger: () => worlds.ledger(world),
    verify: () => verifyWorld(worlds, world, objectsOf(registeredApplications.map(({ service }) => service))),
    /** Ends the world. The applications continue to run for the next one. */
    async close(): Promise<void> {
      applications.arm(world, undefined);
      await applications.rest(() => worlds.remove(rehearsal));
      if (leases === 'end') free.push(applications);
    },
  };
}

export type CrashingEstate = Awaited<ReturnType<typeof crashingEstate>>;
