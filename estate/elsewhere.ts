import { createEstateCalls } from '../shared/control/estate-call.ts';
import { createOutbound, type OutboundAllow, type OwnListener, outboundAllow } from '../shared/http/outbound.ts';
import type { PlugElsewhere } from '../shared/work/elsewhere.ts';
import type { Configuration } from './configuration.ts';

/** Maximum number of connections to a real system. One rehearsal can use only a part of them. */
const CONNECTIONS = 128;

interface ElsewhereOptions {
  readonly token: string;
  /** The listeners of the estate. No address of a real system may be one of them. */
  readonly own: () => readonly OwnListener[];
}

/** How a process reaches addresses outside the estate. Addresses from variables need no permission. */
export function openOutside({ OUTBOUND_ALLOW }: Pick<Configuration, 'OUTBOUND_ALLOW'>, own: ElsewhereOptions['own'], connections?: number) {
  const everything = outboundAllow('loopback,private,public') as OutboundAllow;
  const checked = createOutbound({ allow: OUTBOUND_ALLOW, own, connections });
  const trusted = createOutbound({ allow: everything, own, connections });
  return {
    ...{ checked, trusted },
    close: async (): Promise<void> => {
      await Promise.all([checked.close(), trusted.close()]);
    },
  };
}

/** Opens the access of applications to real systems. The code is loaded for the first world that has a real system. */
export function openElsewhere(
  configuration: Pick<Configuration, 'OUTBOUND_ALLOW'>,
  { token, own }: ElsewhereOptions,
): { readonly plug: PlugElsewhere; close(): Promise<void> } {
  const outside = openOutside(configuration, own, CONNECTIONS);
  const access = { outside, estateCalls: createEstateCalls(token) };
  return {
    plug: async (parts) => (await import('../shared/elsewhere/elsewhere.ts')).createElsewhere(parts, access),
    close: outside.close,
  };
}
