/**
 * Passes connections on: `node forward-ports.mjs 16379=redis:6379 …`. A profile of the compose file cannot publish ports of a container
 * that runs already; this one can stand beside it. With `--check` it only tries each way once.
 */
import { connect, createServer } from 'node:net';

const [, , ...args] = process.argv;
const isCheck = args.includes('--check');
const ways = args
  .filter((arg) => arg !== '--check')
  .map((arg) => {
    const [, port, host, targetPort] = /^(\d+)=([^:]+):(\d+)$/.exec(arg) ?? [];
    if (targetPort === undefined) {
      process.stderr.write(`${arg} is not of the form 16379=redis:6379.\n`);
      process.exit(64);
    }
    return { port: Number(port), host, targetPort: Number(targetPort) };
  });

for (const { port, host, targetPort } of ways) {
  if (isCheck) {
    const tried = connect({ port, host: '127.0.0.1' }, () => tried.end());
    tried.on('error', (error) => {
      process.stdout.write(`${error.message}\n`);
      process.exitCode = 1;
    });
  } else {
    createServer((client) => {
      const target = connect({ host, port: targetPort });
      client.pipe(target).pipe(client);
      client.on('error', () => target.destroy());
      target.on('error', () => client.destroy());
    }).listen(port, () => process.stdout.write(`${port} leads to ${host}:${targetPort}\n`));
  }
}
