import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { receive } from '../control/snapshots/receive.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { inOneSlice } from '../shared/domain/breathe.ts';
import { keepSecret } from '../shared/domain/redaction.ts';
import { checks, type ThreadInput, type ThreadOutput } from './snapshot-checks.ts';

/** Checks one upload. */
async function outputOf({ received, most, secrets }: ThreadInput): Promise<ThreadOutput> {
  keepSecret(secrets);
  try {
    return { packed: await receive(received, { ...checks(), most, breathe: inOneSlice }) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, context } = error;
    return { refused: { code, detail: message, context } };
  }
}

// The image imports every file once, to compile it.
if (!isMainThread && parentPort) parentPort.postMessage(await outputOf(workerData as ThreadInput));
