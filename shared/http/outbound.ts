import { lookup as resolve } from 'node:dns';
import { lookup as resolveLater } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Agent } from '../process/http-client.ts';

/** Default of `OUTBOUND_ALLOW`: this machine, and the names under which a container reaches the machine that runs it. */
export const DEFAULT_OUTBOUND = 'loopback,host.docker.internal,host.testcontainers.internal';

type Family = 'ipv4' | 'ipv6';
type Network = readonly [address: string, prefix: number, family: Family];

const LOOPBACK: readonly Network[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
];
const PRIVATE: readonly Network[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
];
/** Outside these, no IPv6 address is one of a single machine. Many contain an IPv4 address. */
const UNICAST: readonly Network[] = [
  ['2000::', 3, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['::1', 128, 'ipv6'],
];
/**
 * Services with data about the machine, link-local addresses, and what the registries of special addresses (RFC 6890) reserve for other
 * purposes than machines.
 */
const NEVER: readonly Network[] = [
  // Services of clouds that are not link-local: Azure, Oracle, Alibaba, Amazon, Google, Scaleway, Akamai.
  ['168.63.129.16', 32, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['fd00:ec2::', 32, 'ipv6'],
  ['fd20:ce::', 64, 'ipv6'],
  ['fd00:c1::a9fe:a9fe', 128, 'ipv6'],
  ['fd00:42::42', 128, 'ipv6'],
  ['fd00:a9fe:a9fe::', 64, 'ipv6'],
  ['0.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  // Protocols, and Oracle.
  ['192.0.0.0', 24, 'ipv4'],
  // Documents.
  ['192.0.2.0', 24, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['2001:db8::', 32, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
  // Answers for private names, and relays.
  ['192.31.196.0', 24, 'ipv4'],
  ['192.52.193.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.175.48.0', 24, 'ipv4'],
  ['2620:4f:8000::', 48, 'ipv6'],
  // Groups, and reserved addresses.
  ['224.0.0.0', 3, 'ipv4'],
  // Protocols; among them Teredo and 6to4, which contain IPv4 addresses.
  ['2001::', 23, 'ipv6'],
  ['2002::', 16, 'ipv6'],
];

const CLASSES = ['loopback', 'private', 'public'] as const;
type AddressClass = (typeof CLASSES)[number];

/** Addresses outside the estate that it may call. */
export interface OutboundAllow {
  readonly classes: ReadonlySet<AddressClass>;
  readonly networks: BlockList;
  readonly hasNetworks: boolean;
  /** Lower-case names; `*.example.test` stands for every name below it. */
  readonly names: readonly string[];
}

const NAME = /^(?:\*\.)?[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*$/;

/** @param text names, networks, `loopback`, `private`, `public`, separated by commas @returns undefined when an entry is none of them */
export function outboundAllow(text: string): OutboundAllow | undefined {
  const classes = new Set<AddressClass>();
  const networks = new BlockList();
  const names: string[] = [];
  let hasNetworks = false;
  for (const entry of text.split(',').map((part) => part.trim().toLowerCase())) {
    const known = CLASSES.find((name) => name === entry);
    const network = networkIn(entry);
    if (known) classes.add(known);
    else if (network) {
      networks.addSubnet(...network);
      hasNetworks = true;
    } else if (NAME.test(entry) && !/^[\d.]+$/.test(entry)) names.push(entry);
    else return undefined;
  }
  return { classes, networks, hasNetworks, names };
}

/** The network of a CIDR, or of a single address. */
function networkIn(entry: string): Network | undefined {
  const [, address = '', prefix] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const most = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : Number(prefix);
  return bits <= most ? [address, bits, version === 4 ? 'ipv4' : 'ipv6'] : undefined;
}

const listOf = (networks: readonly Network[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) list.addSubnet(...network);
  return list;
};
const never = listOf(NEVER);
const unicast = listOf(UNICAST);
const ofClass: Readonly<Record<Exclude<AddressClass, 'public'>, BlockList>> = { loopback: listOf(LOOPBACK), private: listOf(PRIVATE) };

const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const isIn = (list: BlockList, address: string): boolean => list.check(address, familyOf(address));

const isNeverCalled = (address: string): boolean => isIn(never, address) || (isIP(address) === 6 && !isIn(unicast, address));

/** An IPv4 address inside an IPv6 one (`::ffff:127.0.0.1`, also in hexadecimal) becomes the IPv4 address that a connection would reach. */
function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const written = URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname.slice(1, -1) ?? address;
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.');
}

const isNamed = ({ names }: OutboundAllow, host: string): boolean =>
  names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));

/** A listener of the estate itself. */
export interface OwnListener {
  /** Name or address. Absent: this process, on every address of this machine. */
  readonly host?: string;
  readonly port: number;
}

interface OutboundOptions {
  readonly allow: OutboundAllow;
  /** The listeners of the estate, which a call from outside must not reach through the estate. */
  readonly own: () => readonly OwnListener[];
  /** Maximum number of connections to an origin. */
  readonly connections?: number | undefined;
}

/** Thrown when an address is not allowed. The message is a sentence for the person who gave the address. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** Thrown when a text is not an address of HTTP. */
export class MalformedAddress extends OutboundRefused {}

/**
 * Calls to addresses that a user gave. Each connection is checked with the address that it uses, so a name that changes between the check
 * and the connection does not help. Redirects are not followed: pass the agent to `request` of undici.
 */
export function createOutbound({ allow, own, connections = CONNECTIONS }: OutboundOptions) {
  /** @returns why a connection is refused; undefined when it is allowed @param ownAddresses of listeners in other processes, on this port */
  function refusal(host: string, given: string, port: number, ownAddresses: ReadonlySet<string>): string | undefined {
    const address = plainAddress(given);
    if (isNeverCalled(address)) return 'it is a link-local or special address, which the estate never calls';
    if (ownAddresses.has(address) || (isThisMachine(address) && own().some((one) => one.host === undefined && one.port === port)))
      return 'it is a listener of the estate itself';
    const isLoopback = isIn(ofClass.loopback, address);
    if (isIn(allow.networks, address)) return undefined;
    if (isLoopback) return allow.classes.has('loopback') ? undefined : 'loopback addresses are not in OUTBOUND_ALLOW';
    if (isNamed(allow, host)) return undefined;
    const kind = isIn(ofClass.private, address) ? 'private' : 'public';
    return allow.classes.has(kind) ? undefined : `${kind} addresses are not in OUTBOUND_ALLOW, and neither is this name or network`;
  }

  /** The addresses of listeners in other processes of the estate that use a port. */
  async function ownAddressesAt(port: number): Promise<ReadonlySet<string>> {
    const hosts = own().flatMap((one) => (one.port === port && one.host !== undefined ? [one.host] : []));
    const found = await Promise.all(hosts.map((host) => resolveLater(host, { all: true }).catch(() => [])));
    return new Set(found.flat().map(({ address }) => plainAddress(address)));
  }

  const lookupFor =
    (port: number): LookupFunction =>
    (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '');
        ownAddressesAt(port).then(
          (ownAddresses) => {
            const reasons = addresses.map(({ address }) => refusal(hostOf(hostname), address, port, ownAddresses));
            const allowed = addresses.filter((_address, place) => reasons[place] === undefined);
            const [first] = allowed;
            if (!first) callback(new OutboundRefused(`${hostname} is ${addresses[0]?.address}: ${reasons[0]}`), '');
            else if (options.all) callback(null, allowed);
            else callback(null, first.address, first.family);
          },
          (failure: Error) => callback(failure, ''),
        );
      });
    };

  /** Own listeners are recognised by address and port, and an agent looks names up without their port. So each origin has its own agent. */
  const agents = new Map<string, Agent>();
  function agentOf({ origin, port, protocol }: URL): Agent {
    const known = agents.get(origin);
    if (known) return known;
    const agent = new Agent({ connections, connect: { lookup: lookupFor(portOf(port, protocol)), timeout: CONNECT_MS } });
    agents.set(origin, agent);
    if (agents.size > MOST_ORIGINS) {
      const [[oldest, unused] = []] = agents;
      if (oldest !== undefined) agents.delete(oldest);
      void unused?.close();
    }
    return agent;
  }

  return {
    /**
     * Checks an address that a user gives. A name that cannot be looked up now is accepted when it may become allowed.
     * @throws OutboundRefused
     */
    async check(text: string): Promise<URL> {
      const url = addressIn(text);
      const host = hostOf(url.hostname);
      const port = portOf(url.port, url.protocol);
      const addresses = isIP(host) ? [{ address: host }] : await resolveLater(host, { all: true }).catch(() => []);
      const ownAddresses = await ownAddressesAt(port);
      if (own().some((one) => one.port === port && one.host === host))
        throw new OutboundRefused(`${text} is a listener of the estate itself`);
      const reasons = addresses.map(({ address }) => refusal(host, address, port, ownAddresses));
      if (reasons.length > 0 && reasons.every((reason) => reason !== undefined)) throw new OutboundRefused(`${text}: ${reasons[0]}`);
      const mayBecome = isNamed(allow, host) || allow.hasNetworks || allow.classes.has('private') || allow.classes.has('public');
      if (reasons.length === 0 && !mayBecome) throw new OutboundRefused(`${text}: this name is unknown, and not in OUTBOUND_ALLOW`);
      return url;
    },
    /** The agent for a request to this address. Its connections are checked. @throws OutboundRefused for an address that is not allowed */
    async agentFor(text: string): Promise<{ readonly url: URL; readonly agent: Agent }> {
      const url = addressIn(text);
      const host = hostOf(url.hostname);
      // undici does not look addresses up.
      if (isIP(host)) {
        const port = portOf(url.port, url.protocol);
        const reason = refusal(host, host, port, await ownAddressesAt(port));
        if (reason !== undefined) throw new OutboundRefused(`${text}: ${reason}`);
      }
      return { url, agent: agentOf(url) };
    },
    async close(): Promise<void> {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

export type Outbound = ReturnType<typeof createOutbound>;

const CONNECTIONS = 16;
const CONNECT_MS = 10_000;
/** Maximum number of origins whose connections are kept. */
const MOST_ORIGINS = 500;

/** Whether an address is one of this machine: a connection to it reaches a listener of this process. */
const isThisMachine = (address: string): boolean =>
  isIn(ofClass.loopback, address) ||
  Object.values(networkInterfaces()).some((found) => found?.some((one) => plainAddress(one.address) === address));

const portOf = (port: string, protocol: string): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** A host as names and addresses are compared: without the brackets of IPv6, and without the trailing dot of an absolute name. */
function hostOf(hostname: string): string {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return plainAddress(bare.toLowerCase());
}

/** @returns the address; other spellings of an IPv4 address (decimal, octal, hexadecimal) are normalised @throws OutboundRefused */
function addressIn(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new MalformedAddress(`${text} is not an address like https://shop.example.test/events`);
  if (url.username !== '' || url.password !== '') throw new MalformedAddress('The address has a user or a password: leave them out');
  if (url.hash !== '') throw new MalformedAddress('The address has a fragment, which a request never sends: leave it out');
  return url;
}
