import { join } from 'node:path';
import { started } from '../processes/started.ts';
import { eventually } from '../support/eventually.ts';

/** Runs the receiver of an example until it is disposed of. @param command program in the folder, and its arguments */
export async function startReceiver(folder: string, command: readonly string[], env: Readonly<Record<string, string>>) {
  const [program = '', ...args] = command;
  const receiver = started(join(folder, program), args, { cwd: folder, env: { ...process.env, ...env } });
  const output = (): string => receiver.output.out + receiver.output.err;
  const end = async (): Promise<void> => void (await receiver.stop());
  await eventually('the start of the receiver', async () => output().includes('listening')).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return { output, [Symbol.asyncDispose]: end };
}
