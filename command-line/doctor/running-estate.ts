import { requireReady } from '../ask.ts';
import { type Access, refusedCredentials } from '../credentials.ts';
import { CommandFailure } from '../failure.ts';
import { type Finding, note, ok, problem } from './finding.ts';

export interface Asked extends Access {
  /** Whether the user named this estate: if so, it must run. */
  readonly isNamed: boolean;
}

export async function estateFindings(access: Asked): Promise<readonly Finding[]> {
  try {
    await requireReady(access.against);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const [found = '', ...remedies] = error.message.split(/(?<=\.) /);
    if (access.isNamed) return [problem('Estate', found, remedies.join(' '))];
    return [note('Estate', `none runs at ${access.against}`, 'Start one with estate start, or name another with --against.')];
  }
  const refused = await refusedCredentials(access);
  const credentials = refused.map((sentence) => {
    const [found = '', remedy = ''] = sentence.split('; ');
    return problem('Credentials', `${found}.`, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`);
  });
  return [ok('Estate', `ready at ${access.against}`), ...(credentials.length > 0 ? credentials : [ok('Credentials', 'accepted')])];
}
