import { isIP } from 'node:net';

/** A host name, a domain with its subdomains (`.example.com`), or `*` for any. */
export const HOST_PATTERN = /^(?:\*|\.?[a-z\d_-]+(?:\.[a-z\d_-]+)*)$/i;

/**
 * Checks that the header `Host` names this estate. A foreign page can point its own host name here (DNS rebinding), and the browser then
 * lets it read responses; but `Host` keeps the foreign name. It accepts addresses, `localhost`, names without a dot, which cannot be
 * registered, and allowed names. Browsers always send `Host`, so requests without it are accepted.
 */
export function ownHosts(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = allowed.map((name) => name.toLowerCase());
  return (host) => {
    if (host === undefined) return true;
    const name = nameIn(host);
    if (name === undefined) return false;
    if (isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost')) return true;
    return names.some((one) => one === '*' || one === name || (one.startsWith('.') && (name.endsWith(one) || name === one.slice(1))));
  };
}

/** The host without port, IPv6 brackets and the trailing dot of an absolute name. */
function nameIn(host: string): string | undefined {
  const name = /^(?:\[([\da-f:.]+)\]|([^:[\]@/\s]+))(?::\d*)?$/i.exec(host);
  return (name?.[1] ?? name?.[2])?.toLowerCase().replace(/\.$/, '');
}
