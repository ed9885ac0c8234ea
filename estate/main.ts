import { printError } from '../shared/process/terminal.ts';
import { run } from './run.ts';
import { explainStart } from './start-error.ts';

run(process.env).catch((error: unknown) => {
  const { text, exitCode } = explainStart(error);
  printError(`${text}\n`);
  process.exit(exitCode);
});
