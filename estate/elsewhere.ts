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

/**
 * Opens the access of applications to real systems. Addresses from variables need no permission. The code is loaded for the first world that has
 * a real system.
 */
export function openElsewhere(
  { OUTBOUND_ALLOW }: Pick<Configuration, 'OUTBOUND_ALLOW'>,
  { token, own }: ElsewhereOptions,
): { readonly plug: PlugElsewhere; close(): Promise<void> } {
  const everything = outboundAllow('loopback,private,public') as OutboundAllow;
  const checked = createOutbound({ allow: OUTBOUND_ALLOW, own, connections: CONNECTIONS });
  const trusted = createOutbound({ allow: everything, own, connections: CONNECTIONS });
  const access = { outside: { checked, trusted }, estateCalls: createEstateCalls(token) };
  return {
    plug: async (parts) => (await import('../shared/elsewhere/elsewhere.ts')).createElsewhere(parts, access),
    close: async () => {
      await Promise.all([checked.close(), trusted.close()]);
    },
  };
}
