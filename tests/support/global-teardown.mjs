import { once } from 'node:events';

export default async function teardown() {
  const child = globalThis.estateProcess;
  if (!child || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`The estate ended with exit code ${code}.`);
}
