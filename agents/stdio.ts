import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createAgentServer } from './server.ts';
import type { AgentAccess } from './worlds.ts';
import { worldsOfSession } from './worlds.ts';

/** Answers MCP on standard input and output. Resolves when the client closes standard input. */
export async function serveOnStdio(version: string, access: AgentAccess, onError: (error: Error) => void): Promise<void> {
  const worldsUntil = worldsOfSession(access);
  const ended = new Promise((resolve) => process.stdin.once('close', resolve).once('end', resolve));
  const { close } = serveStdio(() => createAgentServer(version, worldsUntil), { onerror: onError });
  await ended;
  await close();
}
