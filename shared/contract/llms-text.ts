import { apis } from '../catalog/apis.ts';
import { applicationNames } from '../catalog/applications.ts';
import { controlOperations } from '../catalog/control/operations.ts';
import { allEvents } from '../catalog/events.ts';
import { objects } from '../catalog/objects.ts';

export interface Section {
  readonly title: string;
  readonly links: readonly { readonly name: string; readonly at: string; readonly about?: string }[];
}

/** An index for language models in the format of https://llmstxt.org: what the estate is, and where its documents are. */
export function llmsText(sections: readonly Section[]): string {
  const [publicApis, operations] = [apis, controlOperations].map((all) => Object.keys(all).length);
  return [
    '# Unified commerce estate',
    '',
    `> A simulated retailer to test integrations on: ${publicApis} APIs of ${applicationNames.length} applications, ${objects.length} business objects and ${allEvents.length} events. Each object has its states, rules and events, and the applications agree about it.`,
    '',
    `A test opens a rehearsal: a fresh world with its own data, clock and faults. A control plane of ${operations} operations under /_control moves its time, breaks it, shows every call, and verifies that all records agree. Coding agents reach it by the Model Context Protocol, at /mcp or with the command \`estate mcp\`.`,
    ...sections.flatMap(({ title, links }) => [
      '',
      `## ${title}`,
      '',
      ...links.map(({ name, at, about }) => `- [${name}](${at})${about === undefined ? '' : `: ${about}`}`),
    ]),
    '',
  ].join('\n');
}
