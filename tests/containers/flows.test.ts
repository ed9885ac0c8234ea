import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { type Report, runScenario } from '../../rehearsal/runner.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { domains, topicOf } from '../../shared/catalog/applications.ts';
import { events } from '../../shared/catalog/events.ts';
import { type FlowDefinition, flows } from '../../shared/catalog/flows.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { EstateEnsemble, type StartedEstateEnsemble } from '../../testcontainers/public.ts';
import { estateImage } from './estate-image.ts';
import { type CollectedRecord, collectEvents } from './event-collector.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const PREFIX = 'com.unified-commerce.';
const STARTUP_MS = 420_000;
const RUN_MS = 180_000;

const nameOf = (type: unknown): string => String(type).replace(PREFIX, '');
/** The events of the source document; the others are additions. */
const named = new Set(events.map(({ name }) => name));
const emittedBy = (id: string): readonly string[] => ({ ...apis, ...internalCalls })[id as keyof typeof apis]?.emits ?? [];

/** Events of a finished rehearsal, from the control plane and from Kafka. */
interface Outcome {
  readonly told: string;
  readonly onKafka: readonly CollectedRecord[];
  /** As `/_control/events` lists them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly listed: readonly any[];
  /** Ids of the APIs that were called and answered well, by the journal. */
  readonly called: ReadonlySet<string>;
}

if (whyNoDocker !== undefined) skipWithoutDocker('the flows in containers, with a real Kafka and a real Redis');
else {
  let estate: StartedEstateEnsemble;
  let kafka: Awaited<ReturnType<typeof collectEvents>>;

  beforeAll(async () => {
    estate = await new EstateEnsemble(await estateImage()).withLogLevel('warn').withStartupTimeout(STARTUP_MS).start();
    kafka = await collectEvents(estate.getKafkaBrokers());
  }, 2 * STARTUP_MS);

  afterAll(async () => {
    await kafka?.stop();
    await estate?.stop();
  }, STARTUP_MS);

  const outcomes = new Map<string, Promise<Outcome>>();
  /** A scenario goes through several flows: it is run once. */
  const outcomeOf = (scenario: Scenario): Promise<Outcome> => {
    const known = outcomes.get(scenario.name) ?? rehearse(scenario);
    outcomes.set(scenario.name, known);
    return known;
  };

  async function rehearse(scenario: Scenario): Promise<Outcome> {
    let told = '';
    let seen: Omit<Outcome, 'told'> = { onKafka: [], listed: [], called: new Set() };
    const report: Report = {
      begin: () => {},
      step: () => {},
      note: () => {},
      invariants: () => {},
      end: (_, failure) => {
        told = failure ?? 'passed';
      },
    };
    const examine = async ({ name, client }: { readonly name: string; readonly client: EstateClient }): Promise<void> => {
      const { items } = await client.control('list-events', { query: { ext: 'true', limit: 1_000 } });
      const { items: hops } = await client.control('read-journal', { query: { limit: 5_000 } });
      const well = hops.filter(({ status }) => Number(status) < 300);
      seen = {
        onKafka: await kafka.of(name),
        listed: items.map(({ event }) => event),
        called: new Set(well.map(({ api }) => String(api))),
      };
    };
    await runScenario(scenario, { gateway: estate.getGatewayUrl(), ...estate.getCredentials(), report, examine });
    return { told, ...seen };
  }

  const rehearsalsOf = ({ number }: FlowDefinition): readonly Scenario[] => scenarios.filter((scenario) => scenario.flows.includes(number));

  describe.each(flows.map((flow) => [flow.number, flow.title, flow] as const))('Flow %i, %s', (_number, _title, flow) => {
    test.each(rehearsalsOf(flow).map((scenario) => [scenario.name, scenario] as const))(
      '%s passes, and all invariants hold at its end',
      async (_name, scenario) => expect((await outcomeOf(scenario)).told).toBe('passed'),
      RUN_MS,
    );

    test('makes every call that the catalog lists for it', async () => {
      const ran = await Promise.all(rehearsalsOf(flow).map(outcomeOf));
      const called = new Set(ran.flatMap((outcome) => [...outcome.called]));
      expect(flow.steps.map(({ call }) => call).filter((call) => !called.has(call))).toEqual([]);
    });

    test('publishes to Kafka each event that the catalog lists for its calls', async () => {
      const expected = new Set(flow.steps.flatMap(({ call }) => emittedBy(call)));
      const ran = await Promise.all(rehearsalsOf(flow).map(outcomeOf));
      const onKafka = new Set(ran.flatMap((outcome) => outcome.onKafka.map(({ event }) => nameOf(event.type))));
      expect(expected.size).toBeGreaterThan(0);
      expect([...expected].filter((name) => !onKafka.has(name))).toEqual([]);
    });
  });

  describe('The events on Kafka', () => {
    const all = async (): Promise<readonly Outcome[]> => Promise.all([...outcomes.values()]);

    test('are on one topic per domain', () => expect([...kafka.topics].sort()).toEqual(domains.map(topicOf).sort()));

    test('equal the events that the control plane lists', async () => {
      for (const { onKafka, listed } of await all()) {
        const byId = (list: readonly { id: string }[]) => Object.fromEntries(list.map((event) => [event.id, event]));
        expect(byId(onKafka.map(({ event }) => event))).toEqual(byId(listed));
      }
      expect((await all()).flatMap(({ listed }) => listed).filter(({ type }) => named.has(nameOf(type))).length).toBeGreaterThan(40);
    });

    test('have the same order per aggregate', async () => {
      const firstOfEach = (list: readonly { id: string; partitionkey: string }[]): Map<string, string[]> =>
        new Map(
          [...Map.groupBy(list, ({ partitionkey }) => partitionkey)].map(([key, ofKey]) => [key, [...new Set(ofKey.map(({ id }) => id))]]),
        );
      for (const { onKafka, listed } of await all()) expect(firstOfEach(onKafka.map(({ event }) => event))).toEqual(firstOfEach(listed));
    });

    test('are CloudEvents in structured mode, keyed by the id of their aggregate', async () => {
      const records = (await all()).flatMap(({ onKafka }) => onKafka);
      expect(new Set(records.map(({ contentType }) => contentType))).toEqual(new Set(['application/cloudevents+json; charset=UTF-8']));
      expect(new Set(records.map(({ event }) => event.specversion))).toEqual(new Set(['1.0']));
      expect(records.filter(({ key, event }) => key !== event.partitionkey)).toEqual([]);
    });
  });

  describe('The touchpoint', () => {
    const SELECTORS: Readonly<Record<string, string>> = {
      basket: '/retail/touchpoint/basket/calculate',
      finish: '/retail/touchpoint/basket/finish',
    };

    test.each(['02', '03', '04', '14', '10', '10r'])(
      'answers case %s of a lane that scans, presents its card and finishes',
      async (name) => {
        const text = readFileSync(new URL(`../../fixtures/touchpoint/${name}.json`, import.meta.url), 'utf8');
        const { request, status, response } = JSON.parse(text);
        const { storeKey, lanes } = estate.getTouchpointAccess();
        const path = name.startsWith('10') ? SELECTORS['finish'] : SELECTORS['basket'];
        const answer = await fetch(`${estate.getTouchpointUrl()}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${storeKey}`, 'content-type': 'application/json', 'x-mock-case': name },
          body: JSON.stringify({ ...request, touchpointId: lanes[0], basketId: 'basket-of-a-test' }),
        });
        expect(answer.status).toBe(status);
        expect(await answer.json()).toEqual({ ...response, touchpointId: lanes[0], basketId: 'basket-of-a-test' });
      },
    );

    test('publishes nothing to Kafka', async () => {
      const before = (await kafka.of('default')).length;
      const { storeKey, lanes } = estate.getTouchpointAccess();
      const answer = await fetch(`${estate.getTouchpointUrl()}/caso10`, {
        method: 'POST',
        headers: { authorization: `Bearer ${storeKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ touchpointId: lanes[0], basketId: 'basket-of-a-test' }),
      });
      expect(answer.status).toBe(200);
      expect(await kafka.of('default')).toHaveLength(before);
    });
  });
}
