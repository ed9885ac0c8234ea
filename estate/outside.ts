import { createOutbound, type OwnListener, outboundAllow } from '../shared/http/outbound.ts';
import type { OutsideAccess } from '../shared/work/swap/outside-call.ts';
import type { Configuration } from './configuration.ts';

/** Connections to a real system. Each rehearsal may wait for a part of them only. */
const CONNECTIONS = 128;

/** Opens the access of applications to real systems. Addresses of variables need no permission, but never are listeners of the estate. */
export function openOutside(
  { OUTBOUND_ALLOW }: Pick<Configuration, 'OUTBOUND_ALLOW'>,
  own: () => readonly OwnListener[],
): OutsideAccess & { close(): Promise<void> } {
  const everything = outboundAllow('loopback,private,public');
  if (!everything) throw new Error('All classes of addresses are known.');
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
