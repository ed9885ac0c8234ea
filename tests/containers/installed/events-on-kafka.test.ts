import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { EstateEnsemble, type StartedEstateEnsemble } from 'unified-commerce-estate/testcontainers';

const IMAGE = process.env['ESTATE_IMAGE'] ?? 'unified-commerce-estate:local';

let estate: StartedEstateEnsemble;
before(async () => {
  estate = await new EstateEnsemble(IMAGE).start();
});
after(() => estate.stop());

test('a consumer receives the event of a basket', async () => {
  await using rehearsal = await estate.createRehearsal();
  const kafka = new Kafka({ clientId: 'my-test', brokers: [...estate.getKafkaBrokers()], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: rehearsal.name });
  await consumer.connect();
  await consumer.subscribe({ topics: ['uc.commerce.events'], fromBeginning: true });
  const received = new Promise<{ subject: string }>((resolve) => {
    const eachMessage = async ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
      const event = JSON.parse(String(message.value));
      if (event.rehearsal === rehearsal.name && event.type === 'com.unified-commerce.basket-created') resolve(event);
    };
    void consumer.run({ eachMessage });
  });

  const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });

  assert.equal((await received).subject, `basket/${basket.id}`);
  await consumer.disconnect();
});
