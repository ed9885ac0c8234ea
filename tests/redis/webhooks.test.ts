import { expect, test } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { receiveEvents } from '../support/event-receiver.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { clientOf, describeReplicas } from './replicas/running-replicas.ts';

describeReplicas('Registered webhooks in Redis, with two gateways', {}, (estate) => {
  test('Concurrent orders at two gateways reach the receiver once each, and in order per object', async () => {
    await using rehearsal = await rehearsalAt(estate.gateway);
    await using receiver = await receiveEvents();
    const { control } = rehearsal;
    const { secret = '' } = await control('put-webhook', { params: { name: 'shop' }, body: { url: receiver.url } });
    await Promise.all(Array.from({ length: 10 }, () => rehearsal.confirmed()));
    const events = await rehearsal.events({ ext: true });
    expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    for (const about of Map.groupBy(receiver.received, ({ subject }) => subject).values()) {
      const versions = about.map(({ version }) => version);
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    }
    for (const { text, headers } of receiver.received) new Verifier(secret).verify(text, headers as Record<string, string>);
  });
});

describeReplicas('Registered webhooks of a gateway that ends between event and delivery', { store: { relayLeaseMs: 500 } }, (estate) => {
  test('An event is delivered by another gateway when its gateway ends', async () => {
    await using rehearsal = await rehearsalAt(estate.gateway);
    const [first, second] = estate.replicas.map(({ door }) => door.url);
    let attempts = 0;
    await using receiver = await receiveEvents(() => ({ status: attempts++ === 0 ? 503 : 204 }));
    await clientOf(first ?? '', rehearsal.name).control('put-webhook', {
      params: { name: 'shop' },
      body: { url: receiver.url, types: ['order-created'] },
    });
    await rehearsal.draft();
    await rehearsal.settle();
    await estate.stopGatewayOf('/_control/settle');
    const left = clientOf(second ?? '', rehearsal.name);
    await rehearsal.control('advance-clock', { body: { by: 'PT5S' } });
    expect(receiver.types()).toEqual(['order-created', 'order-created']);
    await left.close();
  });
});
