import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { domains, topicOf } from '../../shared/catalog/applications.ts';
import { events } from '../../shared/catalog/events.ts';
import { type FlowDefinition, flows } from '../../shared/catalog/flows.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { EstateEnsemble, type StartedEstateEnsemble } from '../../testcontainers/public.ts';
import { notedReport } from '../support/noted-report.ts';
import { estateImage } from './estate-image.ts';
import { type CollectedRecord, collectEvents } from './event-collector.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const PREFIX = 'com.unified-commerce.';
const STARTUP_MS = 420_000;

const nameOf = (type: unknown): string => String(type).replace(PREFIX, '');
/** The events with a name. Each change of an object has an event too. */
const named = new Set(events.map(({ name }) => name));
/** Events that the source document lacks. */
const additions = new Set<string>(events.filter(({ addition }) => addition).map(({ name }) => name));
const emittedBy = (id: string): readonly string[] => ({ ...apis, ...internalCalls })[id as keyof typeof apis]?.emits ?? [];

/** Events of a finished rehearsal, from the control plane and from Kafka. */
interface Outcome {
  readonly noted: string | undefined;
  readonly onKafka: readonly CollectedRecord[];
  /** As `/_control/events` lists them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read events without a schema
  readonly listed: readonly any[];
  /** Ids of the APIs with a successful call in the journal. */
  readonly called: ReadonlySet<string>;
}

if (whyNoDocker !== undefined) skipWithoutDocker('the flows in containers, with a real Kafka and a real Redis');
else {
  let estate: StartedEstateEnsemble;
  let kafka: Awaited<ReturnType<typeof collectEvents>>;

  beforeAll(async () => {
    estate = await new EstateEnsemble(await estateImage()).withLogLevel('warn').withStartupTimeout(STARTUP_MS).start();
    kafka = await collectEvents(estate.getKafkaBrokers());
  });

  afterAll(async () => {
    await kafka?.stop();
    await estate?.stop();
  });

  const outcomes = new Map<string, Promise<Outcome>>();
  /** Runs a scenario once, although it belongs to several flows. */
  const outcomeOf = (scenario: Scenario): Promise<Outcome> => {
    const known = outcomes.get(scenario.name) ?? rehearse(scenario);
    outcomes.set(scenario.name, known);
    return known;
  };

  async function rehearse(scenario: Scenario): Promise<Outcome> {
    const { noted, report } = notedReport();
    let seen: Omit<Outcome, 'noted'> = { onKafka: [], listed: [], called: new Set() };
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
    return { noted: noted.at(-1), ...seen };
  }

  const rehearsalsOf = ({ number }: FlowDefinition): readonly Scenario[] => scenarios.filter((scenario) => scenario.flows.includes(number));

  test.each(flows.map((flow) => [flow.number, flow.title, flow] as const))(
    'The scenarios of flow %i, %s, pass, make every call of the catalog, and publish its events to Kafka',
    async (_number, _title, flow) => {
      const ran = await Promise.all(rehearsalsOf(flow).map(outcomeOf));
      expect(ran.map(({ noted }) => noted)).toEqual(ran.map(() => 'passed'));
      const called = new Set(ran.flatMap((outcome) => [...outcome.called]));
      expect(flow.steps.map(({ call }) => call).filter((call) => !called.has(call))).toEqual([]);
      // The flows are of the source document. Other scenarios publish the additions.
      const expected = new Set(flow.steps.flatMap(({ call }) => emittedBy(call)).filter((name) => !additions.has(name)));
      const onKafka = new Set(ran.flatMap((outcome) => outcome.onKafka.map(({ event }) => nameOf(event.type))));
      expect(expected.size).toBeGreaterThan(0);
      expect([...expected].filter((name) => !onKafka.has(name))).toEqual([]);
    },
  );

  describe('The events on Kafka', () => {
    const all = async (): Promise<readonly Outcome[]> => Promise.all([...outcomes.values()]);

    test('The events are on one topic per domain', () => expect([...kafka.topics].sort()).toEqual(domains.map(topicOf).sort()));

    test('The events equal the events that the control plane lists, in the same order per aggregate', async () => {
      /** Each event once, at its first position. */
      const ofAggregates = (list: readonly { id: string; partitionkey: string }[]) =>
        Object.groupBy(new Map(list.map((event) => [event.id, event])).values(), ({ partitionkey }) => partitionkey);
      for (const { onKafka, listed } of await all()) expect(ofAggregates(onKafka.map(({ event }) => event))).toEqual(ofAggregates(listed));
      expect((await all()).flatMap(({ listed }) => listed).filter(({ type }) => named.has(nameOf(type))).length).toBeGreaterThan(40);
    });

    test('The events are CloudEvents in structured mode, keyed by the id of their aggregate', async () => {
      const records = (await all()).flatMap(({ onKafka }) => onKafka);
      expect(new Set(records.map(({ contentType }) => contentType))).toEqual(new Set(['application/cloudevents+json; charset=UTF-8']));
      expect(new Set(records.map(({ event }) => event.specversion))).toEqual(new Set(['1.0']));
      expect(records.filter(({ key, event }) => key !== event.partitionkey)).toEqual([]);
    });
  });

  test('The touchpoint mock answers a lane, and publishes nothing to Kafka', async () => {
    const before = (await kafka.of('default')).length;
    const { request, status, response } = JSON.parse(readFileSync(new URL('../../fixtures/touchpoint/10.json', import.meta.url), 'utf8'));
    const { storeKey, lanes } = estate.getTouchpointAccess();
    const own = { touchpointId: lanes[0], basketId: 'basket-of-a-test' };
    const answer = await fetch(`${estate.getTouchpointUrl()}/retail/touchpoint/basket/finish`, {
      method: 'POST',
      headers: { authorization: `Bearer ${storeKey}`, 'content-type': 'application/json', 'x-mock-case': '10' },
      body: JSON.stringify({ ...request, ...own }),
    });
    expect([answer.status, await answer.json()]).toEqual([status, { ...response, ...own }]);
    expect(await kafka.of('default')).toHaveLength(before);
  });
}
