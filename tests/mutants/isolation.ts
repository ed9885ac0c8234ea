import type { Mutant } from './mutant.ts';

export const isolation: readonly Mutant[] = [
  {
    name: 'A credential is accepted by the name in it, without its secret',
    file: 'gateway/credentials.ts',
    from: 'if (!equal(given, stored, dummyHash) || !boundTo) return undefined;',
    to: 'if (!boundTo) return undefined;',
    killedBy: ['tests/gateway/rehearsals.test.ts'],
  },
  {
    name: 'Two rehearsals mint the same ids for requests with the same key',
    file: 'shared/work/unit/unit.ts',
    from: 'digest(idSource(context), key, prefix, label)',
    to: 'digest(key, prefix, label)',
    killedBy: ['tests/unit/unit-of-work.test.ts'],
  },
  {
    name: 'A request for another rehearsal is answered from the own one',
    file: 'gateway/steps/rehearsal.ts',
    from: 'if (bound === undefined || sentName === undefined || sentName === bound) ',
    to: "if (bound === undefined || sentName !== '') ",
    killedBy: ['tests/gateway/rehearsals.test.ts', 'tests/flows/isolation.test.ts'],
  },
  {
    name: 'An anonymous caller creates a rehearsal',
    file: 'gateway/steps/rehearsal.ts',
    from: '    if (caller) return {',
    to: "    if (caller || rehearsal !== 'default') return {",
    killedBy: ['tests/gateway/rehearsals.test.ts'],
  },
  {
    name: 'A credential needs no scope',
    file: 'gateway/credentials.ts',
    from: 'if (!caller.scopes.includes(scope))',
    to: 'if (caller.scopes.length === 0)',
    killedBy: ['tests/gateway/credentials.test.ts'],
  },
  {
    name: 'The credential of a deleted rehearsal is answered as an anonymous caller',
    file: 'gateway/credentials.ts',
    from: '      if (given && !caller && rehearsalOfKey(given.key) !== undefined) throw unauthenticated(given.kind);\n',
    to: '',
    killedBy: ['tests/gateway/rehearsals.test.ts'],
  },
  {
    name: 'The world before a reset stays current',
    file: 'shared/store/memory/store.ts',
    from: 'return found?.world.world === world ? viewOf(found) : undefined;',
    to: 'return found ? viewOf(found) : undefined;',
    killedBy: ['tests/ports/memory-store.test.ts'],
  },
  {
    name: 'A header value of a swap that its real system echoes is shown',
    file: 'shared/work/swap/outside-call.ts',
    from: 'if (secrets.length === 0) return body;',
    to: 'if (secrets.length !== 0) return body;',
    killedBy: ['tests/control/swaps.test.ts'],
  },
];
