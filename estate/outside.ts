import { createOutbound, type OutboundAllow, type OwnListener, outboundAllow } from '../shared/http/outbound.ts';
import type { OutsideAccess } from '../shared/work/swap/outside-call.ts';
import type { Configuration } from './configuration.ts';

/** Maximum number of connections to a real system. One rehearsal can use only a part of them. */
const CONNECTIONS = 128;

/** Opens the access of applications to real systems. Addresses from variables need no permission. No address may be a listener of the estate. */
export function openOutside(
  { OUTBOUND_ALLOW }: Pick<Configuration, 'OUTBOUND_ALLOW'>,
  own: () => readonly OwnListener[],
): OutsideAccess & { close(): Promise<void> } {
  const everything = outboundAllow('loopback,private,public') as OutboundAllow;
  const checked = createOutbound({ allow: OUTBOUND_ALLOW, own, connections: CONNECTIONS });
  const trusted = createOutbound({ allow: everything, own, connections: CONNECTIONS });
  return {
    checked,
    trusted,
    close: async () => {
      await Promise.all([checked.close(), trusted.close()]);
    },
  };
}
