import { isIP } from 'node:net';

/** A name, a name with all below it (`.example.com`), or `*` for any. */
export const HOST_PATTERN = /^(?:\*|\.?[a-z\d_-]+(?:\.[a-z\d_-]+)*)$/i;

/**
 * Tells whether a `Host` is one of ours. A page of somebody else can make its own name lead here (DNS rebinding), and a browser then lets it
 * read what it gets; but the name stays in `Host`. So these are ours: addresses, `localhost`, names without a dot, which nobody can
 * register, and what is allowed by name. A request without a `Host` comes from no browser.
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

/** Without port, brackets of IPv6 and the dot at the end that a full name may have. */
function nameIn(host: string): string | undefined {
  const name = /^(?:\[([\da-f:.]+)\]|([^:[\]@/\s]+))(?::\d*)?$/i.exec(host);
  return (name?.[1] ?? name?.[2])?.toLowerCase().replace(/\.$/, '');
}
