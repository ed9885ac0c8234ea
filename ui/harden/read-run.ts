import type { HardenRun } from '../../rehearsal/harden/run.ts';
import { mistakeAt } from '../data/refusal.ts';

/** A run of 20,000 cells has some 10 MB. */
const MOST_MEGABYTES = 50;

/** The run in a file. @throws Refusal that names the mistake and the remedy */
export async function readRun(file: File): Promise<HardenRun> {
  const remedy = 'Choose the file harden.json in the folder that estate harden --report wrote.';
  const refuse = (why: string) => mistakeAt('/file', `${why} ${remedy}`);
  if (file.size > MOST_MEGABYTES * 1_000_000) throw refuse(`${file.name} has more than ${MOST_MEGABYTES} MB.`);
  const text = await file.text().catch(() => {
    throw refuse(`${file.name} cannot be read.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(text.trim() === '' ? `${file.name} is empty.` : `${file.name} is not JSON.`);
  }
  const { data, error } = (await schema()).safeParse(value);
  if (data) return data;
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof version === 'number' && version !== 1)
    throw mistakeAt(
      '/file',
      `${file.name} has version ${version}, and this console reads version 1. Open it in the console of the estate that wrote it.`,
    );
  const [issue] = error.issues;
  const at = issue?.path.join('.') || 'the file';
  throw refuse(`${file.name} is not a run of estate harden: ${at}: ${issue?.message ?? 'wrong'}.`);
}

/** The schema of a run. The policy of the console forbids code from texts, which zod would try when a schema is made. */
async function schema() {
  const { config } = await import('zod');
  config({ jitless: true });
  return (await import('../../rehearsal/harden/run-schema.ts')).hardenRunSchema;
}
