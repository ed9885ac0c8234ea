/**
 * Forwards TCP connections: `node forward-ports.mjs 16379=redis:6379 …`. A profile of the compose file cannot publish ports of a running
 * container, so this forwarder runs in a separate container.
 */
import { connect, createServer } from 'node:net';

for (const way of process.argv.slice(2)) {
  const [, from, host, to] = /^(\d+)=([^:]+):(\d+)$/.exec(way) ?? [];
  if (to === undefined) {
    process.stderr.write(`${way} is not of the form 16379=redis:6379.\n`);
    process.exit(64);
  }
  createServer((client) => {
    const target = connect({ host, port: Number(to) });
    client.pipe(target).pipe(client);
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
  }).listen(Number(from), () => process.stdout.write(`${from} leads to ${host}:${to}\n`));
}
