import { run } from './run.ts';
import { explainStart } from './start-error.ts';

run(process.env).catch((error: unknown) => {
  const { text, exitCode } = explainStart(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
});
