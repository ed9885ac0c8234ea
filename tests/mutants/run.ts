import { areas } from './areas.ts';
import { type Copy, copyOfProject } from './copy.ts';
import { runJest, type TestedFile } from './jest.ts';
import type { Mutant } from './mutant.ts';

/**
 * Applies the mutants one by one to a copy of the project and runs their tests. Each test file must have a failed test.
 * Arguments: areas, or parts of names. Without them all mutants run. Test files among the arguments run with each mutant too, and a table
 * shows how many mutants each file kills, and how many only that file.
 */

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** @throws Error for an argument that selects no mutant */
function selected(words: readonly string[]): readonly Mutant[] {
  const all = Object.values(areas).flat();
  if (words.length === 0) return all;
  const found = words.map((word) => areas[word] ?? all.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase())));
  const unknown = words.find((_, index) => found[index]?.length === 0);
  if (unknown === undefined) return [...new Set(found.flat())];
  throw new Error(`"${unknown}" is neither an area nor a part of a mutant's name. The areas are ${Object.keys(areas).join(', ')}.`);
}

/** @throws Error when a test fails without a mutant, because its failure with a mutant then proves nothing */
async function requirePassing(copy: Copy, files: readonly string[], signal: AbortSignal): Promise<void> {
  print(`${files.length} test files run without a mutant …`);
  const tested = await runJest(copy.folder, files, signal);
  if (!tested) throw new Error('Jest did not start. Run npm test to see why.');
  const broken = tested.filter(({ failed, ran }) => failed.length > 0 || ran === 0);
  if (broken.length === 0 && tested.length === files.length) return;
  const names = broken.map(({ file, failed: [first = 'it cannot be loaded'] }) => `  ${file}: ${first}`);
  throw new Error(['These test files fail without a mutant. Repair them first:', ...names].join('\n'));
}

/** For each file, the mutants that it kills, and those that no other file kills. @param killers the files that kill a mutant, for each mutant */
function tableOf(files: readonly string[], killers: readonly (readonly string[])[]): readonly string[] {
  const rows = files.map((file) => {
    const killed = killers.filter((some) => some.includes(file));
    return `${String(killed.length).padStart(6)}  ${String(killed.filter(({ length }) => length === 1).length).padStart(5)}  ${file}`;
  });
  return ['killed  alone  file', ...rows];
}

/** @returns why the mutant was not killed; undefined when it was */
function survival({ killedBy }: Mutant, tested: readonly TestedFile[] | undefined): string | undefined {
  if (!tested) return 'The estate did not start, or the tests did not end. Choose a smaller defect.';
  const unloaded = tested.find(({ ran }) => ran === 0);
  if (unloaded) return `${unloaded.file} could not be loaded. Choose a defect that Node can load.\n${unloaded.message}`;
  const passing = killedBy.filter((file) => !tested.some((one) => one.file === file && one.failed.length > 0));
  if (passing.length === 0) return undefined;
  return `No test fails in ${passing.join(' and ')}. Write the missing test, or name the test file that finds the defect.`;
}

async function main(signal: AbortSignal): Promise<boolean> {
  const { files: more = [], words = [] } = Object.groupBy(process.argv.slice(2), (word) => (word.endsWith('.test.ts') ? 'files' : 'words'));
  const mutants = selected(words);
  const filesOf = ({ killedBy }: Pick<Mutant, 'killedBy'>): readonly string[] => [...new Set([...killedBy, ...more])];
  using copy = copyOfProject();
  for (const mutant of mutants) copy.apply(mutant)[Symbol.dispose]();
  await requirePassing(copy, [...new Set(mutants.flatMap(filesOf))], signal);
  const killersOfEach: (readonly string[])[] = [];
  let survivors = 0;
  for (const mutant of mutants) {
    using _applied = copy.apply(mutant);
    const started = Date.now();
    const tested = await runJest(copy.folder, filesOf(mutant), signal);
    const why = survival(mutant, tested);
    const failing = tested?.filter(({ failed }) => failed.length > 0) ?? [];
    const killers = failing.map(({ file, failed: [first] }) => `by "${first}" in ${file}`);
    killersOfEach.push(failing.map(({ file }) => file));
    const seconds = Math.round((Date.now() - started) / 1_000);
    print(`${why === undefined ? 'killed  ' : 'SURVIVED'}  ${mutant.name} (${seconds} s)`);
    for (const line of why?.split('\n') ?? killers) print(`          ${line}`);
    if (why !== undefined) survivors += 1;
  }
  if (more.length > 0) for (const line of tableOf([...new Set(mutants.flatMap(filesOf))], killersOfEach)) print(line);
  print(survivors === 0 ? `All ${mutants.length} mutants were killed.` : `${survivors} of ${mutants.length} mutants were not killed.`);
  return survivors === 0;
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
try {
  process.exitCode = (await main(interrupted.signal)) ? 0 : 1;
} catch (error) {
  if (!interrupted.signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}
