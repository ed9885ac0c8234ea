import { createServer } from 'node:http';
import { createRequire } from 'node:module';

/** Requests of one process to Kafka since its start. */
export interface KafkaRequests {
  /** Number of requests by name, such as `Produce`. */
  readonly requests: Readonly<Record<string, number>>;
  /** Fetches whose answer had records. */
  readonly filledFetches: number;
  readonly recordsRead: number;
}

interface Request {
  readonly request: { readonly apiName: string };
}

interface Answer {
  readonly responses?: readonly { readonly partitions?: readonly { readonly messages?: readonly unknown[] }[] }[];
}

interface Connection {
  send(request: Request): Promise<Answer>;
}

const requests: Record<string, number> = {};
let [filledFetches, recordsRead] = [0, 0];

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/connection') as { readonly prototype: Connection };
const { send } = prototype;

/** Preloaded into the processes of a container: counts the requests of the library, and reports them over HTTP. */
prototype.send = async function counted(this: Connection, request) {
  const { apiName } = request.request;
  requests[apiName] = (requests[apiName] ?? 0) + 1;
  const answer = await send.call(this, request);
  if (apiName === 'Fetch') countRecords(answer);
  return answer;
};

function countRecords({ responses = [] }: Answer): void {
  const partitions = responses.flatMap(({ partitions: ofTopic = [] }) => ofTopic);
  const records = partitions.reduce((sum, { messages = [] }) => sum + messages.length, 0);
  recordsRead += records;
  if (records > 0) filledFetches += 1;
}

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ requests, filledFetches, recordsRead }));
});
server.on('error', () => undefined);
server.listen(Number(process.env['KAFKA_COUNTER_PORT'])).unref();
