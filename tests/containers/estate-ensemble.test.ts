import { expect, test } from '@jest/globals';
import { runScenario } from '../../rehearsal/runner.ts';
import { deliveredOrder } from '../../rehearsal/scenarios/fulfillment.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { EstateEnsemble } from '../../testcontainers/public.ts';
import { notedReport } from '../support/noted-report.ts';
import { estateImage } from './estate-image.ts';
import { collectEvents } from './event-collector.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const STARTUP_MS = 420_000;

if (whyNoDocker !== undefined) skipWithoutDocker('the ensemble of one container per application');
else {
  test('An order passes through an ensemble with one container per application, until delivery', async () => {
    const ensemble = new EstateEnsemble(await estateImage()).withContainerPerApplication();
    await using estate = await ensemble.withLogLevel('warn').withStartupTimeout(STARTUP_MS).start();
    const members = [...applicationNames, 'gateway', 'touchpoint-mock'] as const;
    expect(new Set(members.map((member) => estate.getContainer(member).getId())).size).toBe(15);

    const { noted, report } = notedReport();
    let rehearsal = '';
    const examine = async ({ name }: { readonly name: string }): Promise<void> => {
      rehearsal = name;
    };
    await runScenario(deliveredOrder, { gateway: estate.getGatewayUrl(), ...estate.getCredentials(), report, examine });
    expect(noted.at(-1)).toBe('passed');

    const kafka = await collectEvents(estate.getKafkaBrokers());
    const sources = new Set((await kafka.of(rehearsal)).map(({ event }) => event.source));
    await kafka.stop();
    const owners = ['ecommerce-platform', 'oms', 'payment-hub', 'sim', 'fms', 'carrier-platform'];
    expect([...sources]).toEqual(expect.arrayContaining(owners.map((owner) => `urn:uc:app:${owner}`)));
    expect((await fetch(`${estate.getTouchpointUrl()}/readyz`)).status).toBe(200);
  });
}
