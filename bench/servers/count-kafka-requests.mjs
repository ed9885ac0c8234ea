// Preloaded into the processes of a container: counts the requests to Kafka, and reports them over HTTP. It is JavaScript, because removing
// types in a container would take 30 MiB.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const requests = {};
let filledFetches = 0;
let recordsRead = 0;

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/connection');
const { send } = prototype;

prototype.send = async function counted(sent) {
  const { apiName } = sent.request;
  requests[apiName] = (requests[apiName] ?? 0) + 1;
  const answer = await send.call(this, sent);
  if (apiName === 'Fetch') countRecords(answer);
  return answer;
};

function countRecords({ responses = [] }) {
  const records = responses.flatMap(({ partitions }) => partitions).reduce((sum, { messages }) => sum + messages.length, 0);
  recordsRead += records;
  if (records > 0) filledFetches += 1;
}

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ requests, filledFetches, recordsRead }));
});
server.on('error', () => undefined);
server.listen(Number(process.env.KAFKA_COUNTER_PORT)).unref();
