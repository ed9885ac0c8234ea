import { stringify } from 'yaml';
import { apis } from '../shared/catalog/apis.ts';
import { type Application, applicationNames } from '../shared/catalog/applications.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { calls } from '../shared/catalog/flows.ts';
import { internalCalls } from '../shared/catalog/internal-calls.ts';

type Peer = Application | 'gateway';

const NAME = 'app.kubernetes.io/name';
const byId = new Map<string, ApiDefinition>([...Object.values(apis), ...Object.values(internalCalls)].map((api) => [api.id, api]));

/** The applications that an application calls. Signed webhooks go to the gateway, as from any carrier. */
function calleesOf(caller: Application): readonly Peer[] {
  const callees = calls[caller].flatMap((id): Peer[] => {
    const api = byId.get(id);
    return api === undefined ? [] : [api.auth === 'signature' ? 'gateway' : api.application];
  });
  return [...new Set(callees)].toSorted();
}

/** Clients of an application: its callers, and the gateway, which forwards requests and advances the clock. */
const callersOf = (callee: Application): readonly Peer[] => [
  'gateway',
  ...applicationNames.filter((name) => calleesOf(name).includes(callee)).toSorted(),
];

const peers = (names: readonly Peer[]) => [{ podSelector: { matchExpressions: [{ key: NAME, operator: 'In', values: names }] } }];
const port = [{ protocol: 'TCP', port: 8080 }];

/** One NetworkPolicy per application: exactly the calls that `shared/catalog/flows.ts` lists, in both directions. */
export function callPolicies(): string {
  const policies = applicationNames.toSorted().map((name) => {
    const callees = calleesOf(name);
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name },
      spec: {
        podSelector: { matchLabels: { [NAME]: name } },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: peers(callersOf(name)), ports: port }],
        ...(callees.length > 0 && { egress: [{ to: peers(callees), ports: port }] }),
      },
    };
    return stringify(policy, { aliasDuplicateObjects: false });
  });
  return `# Written by npm run docs from the calls in shared/catalog/flows.ts.\n${policies.join('---\n')}`;
}
