import { join, resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { print } from '../../shared/process/terminal.ts';
import { ask } from '../connection/ask.ts';
import { type Connection, withConnection } from '../connection/connection.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { withExample } from '../help.ts';
import { makeFolder, writeGiven } from '../output/written-file.ts';

interface Options extends Connection {
  readonly to: string;
}

/** Writes the answers of a real system into a file per operation. A swap in the mode kept reads them. */
export function keepCommand(): Command {
  const command = new Command('keep')
    .description('Writes the answers of a real system into a folder, a file per operation. Its swap must keep answers.')
    .addArgument(new Argument('<application>', 'Such as payment-hub.'))
    .addOption(new Option('--to <folder>', 'Folder of the files. It is created if it does not exist.').makeOptionMandatory());
  withConnection(command);
  withExample(command, 'swaps keep payment-hub --to answers');
  return command.action(async (application: string, options: Options) => {
    const { answers } = await ask('read-answers', options, { params: { application }, places: {} });
    const operations = Object.entries(answers);
    if (operations.length === 0)
      throw new CommandFailure(`The real ${application} has answered nothing in this rehearsal yet.`, EXIT.fails);
    const unwritten = (path: string) => (error: Error) => {
      throw new CommandFailure(`${path} cannot be written: ${error.message}; name another folder with --to.`, EXIT.misuse);
    };
    await makeFolder(resolve(options.to)).catch(unwritten(options.to));
    for (const [operation, kept] of operations) {
      const file = join(options.to, `${operation}.json`);
      await writeGiven(file, `${JSON.stringify(kept, null, 2)}\n`).catch(unwritten(file));
      print(`${file}: ${kept.length} ${kept.length === 1 ? 'answer' : 'answers'}\n`);
    }
  });
}
