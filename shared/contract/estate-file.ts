import { strFromU8, unzipSync } from 'fflate';
import { z } from 'zod';
import { type EstateFile, type Failure, PARTS } from '../domain/estate-file.ts';
import { IN_WORDS, mistakesIn } from './issue-words.ts';
import { pointerTo } from './validation.ts';

const FailureShape: z.ZodType<Failure> = z.strictObject({
  version: z.literal(1),
  estate: z.string(),
  scenario: z.strictObject({ name: z.string().min(1), title: z.string(), file: z.string().optional() }),
  problem: z.string(),
  step: z.strictObject({ title: z.string(), call: z.string(), status: z.int(), correlationId: z.string().min(1) }).optional(),
});

/** Maximum number of bytes of a file in the archive. A snapshot with its journal is smaller. */
const MOST_BYTES = 256 * 1_048_576;

/** Thrown for a file that is not a whole `EstateFile`. Each line of the message names a place in the file and what is wrong there. */
export class EstateFileRefused extends Error {
  override readonly name = 'EstateFileRefused';
}

/** @throws EstateFileRefused with all mistakes */
export function unpacked(bytes: Uint8Array): EstateFile {
  const files = filesIn(bytes);
  const { [PARTS.snapshot]: snapshot, [PARTS.failure]: failure, [PARTS.scenario]: scenario } = files;
  if (!snapshot) {
    const found = Object.keys(files).join(', ') || 'nothing';
    throw new EstateFileRefused(`It has no ${PARTS.snapshot}, but ${found}: give a file that rehearse --report or the console wrote.`);
  }
  const [world, failed] = [jsonIn(PARTS.snapshot, snapshot), failure && failureIn(failure)];
  const mistakes = [world.mistakes, failed?.mistakes ?? []].flat();
  if (mistakes.length > 0) throw new EstateFileRefused(mistakes.join('\n'));
  return { snapshot: world.value, failure: failed?.value, scenario: scenario && strFromU8(scenario) };
}

function filesIn(bytes: Uint8Array): Readonly<Record<string, Uint8Array>> {
  const large: string[] = [];
  const isWanted = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }): boolean => {
    if (originalSize > MOST_BYTES) large.push(name);
    return originalSize <= MOST_BYTES && !name.endsWith('/');
  };
  let files: Readonly<Record<string, Uint8Array>>;
  try {
    files = unzipSync(bytes, { filter: isWanted });
  } catch {
    throw new EstateFileRefused('It is not a ZIP archive, or is cut off: copy it again from where it was written.');
  }
  if (large.length > 0) throw new EstateFileRefused(`${large.join(', ')} in it must have at most ${MOST_BYTES} bytes.`);
  return files;
}

interface Found<T> {
  readonly value?: T;
  readonly mistakes: readonly string[];
}

function jsonIn(name: string, bytes: Uint8Array): Found<unknown> {
  try {
    return { value: JSON.parse(strFromU8(bytes)), mistakes: [] };
  } catch (error) {
    return { mistakes: [`${name} in it is not JSON: ${(error as Error).message}`] };
  }
}

function failureIn(bytes: Uint8Array): Found<Failure> {
  const { value, mistakes } = jsonIn(PARTS.failure, bytes);
  if (mistakes.length > 0) return { mistakes };
  const { data, error } = FailureShape.safeParse(value, IN_WORDS);
  const wrong = [...mistakesIn(error?.issues ?? [])];
  return { value: data, mistakes: wrong.map(({ path, detail }) => `${PARTS.failure}${pointerTo('body', path)}: ${detail}`) };
}
