import { Command } from 'commander';
import { Agent } from 'undici';
import manifest from '../package.json' with { type: 'json' };
import { printError } from '../shared/process/terminal.ts';
import { adminOption, againstOption, DEFAULT_URL, jsonOption } from './connection/connection.ts';
import { withExample } from './help.ts';

export function mcpCommand(): Command {
  const command = new Command('mcp')
    .description(
      'Serves the Model Context Protocol to a coding agent, on standard input and output. The agent opens worlds on a running estate, and reaches only these.',
    )
    .addOption(againstOption().default(DEFAULT_URL))
    .addOption(adminOption())
    // The protocol is JSON in any case.
    .addOption(jsonOption());
  return withExample(command, 'mcp').action(serve);
}

async function serve({ against, admin }: { readonly against: string; readonly admin: string }): Promise<void> {
  const { serveOnStdio } = await import('../agents/stdio.ts');
  const agent = new Agent({ keepAliveTimeout: 20_000 });
  await serveOnStdio(manifest.version, { gateway: against, admin, agent }, ({ message }) => printError(`${message}\n`));
  await agent.close();
}
