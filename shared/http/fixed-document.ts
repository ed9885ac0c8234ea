import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { type Steps, stepsBreathing } from '../domain/breathe.ts';
import { inShortTurns } from '../process/waiting.ts';
import { hasVersion } from './json-answer.ts';
import { type OwnAddress, ownAddress } from './own-address.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Variant {
  readonly body: Buffer;
  readonly etag: string;
}

/** Compression level with nearly the smallest size, at a tenth of the cost. */
const BROTLI_QUALITY = 5;

const [brotlied, gzipped] = [promisify(brotliCompress), promisify(gzip)];

const encode: Readonly<Record<Encoding, (plain: Buffer) => Buffer | Promise<Buffer>>> = {
  br: (plain) => brotlied(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (plain) => gzipped(plain),
  identity: (plain) => plain,
};

type Answer = (request: Request, response: Response) => Promise<void>;
/** Its code can be loaded with the first request. */
type Text = string | Promise<string>;

/** Levels of a document whose members are written one by one: paths, schemas. */
const YAML_LEVELS = 2;

/** A document as YAML. Most processes write none, so the library is loaded with the first one. */
export async function yamlOf(document: unknown, breathe = inShortTurns()): Promise<string> {
  const { stringify } = await import('yaml');
  const textOf = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
  return stepsBreathing(yamlInSteps(document, [], textOf), breathe);
}

/** The library writes a value as a whole. Within the names above it, the text of a part is the same as in the whole. */
function* yamlInSteps(value: unknown, path: readonly string[], textOf: (value: unknown) => string): Steps<string> {
  const below = (member: unknown): unknown => path.reduceRight((inner: unknown, name) => ({ [name]: inner }), member);
  const members = path.length <= YAML_LEVELS && isRecord(value) ? Object.entries(value).filter(([, member]) => member !== undefined) : [];
  if (members.length === 0) {
    yield;
    return withoutLines(textOf(below(value)), path.length - 1);
  }
  const heading = path.length === 0 ? '' : `${withoutLines(textOf(below({ member: 0 })), path.length - 1).split('\n', 1)[0]}\n`;
  const texts = [heading];
  for (const [name, member] of members) texts.push(yield* yamlInSteps(member, [...path, name], textOf));
  return texts.join('');
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutLines = (text: string, count: number): string => text.split('\n').slice(Math.max(0, count)).join('\n');

/**
 * Answers GET and HEAD with a constant document, which is generated and compressed once, at the first request. A client that has it gets
 * 304.
 * @param caching the header `Cache-Control`; by default, a cache validates the document before each use
 */
export function fixedDocument(type: string, write: () => Text, caching = 'no-cache'): Answer {
  const variants = new Map<Encoding, Promise<Variant>>();

  function variantOf(encoding: Encoding): Promise<Variant> {
    const known = variants.get(encoding);
    if (known) return known;
    const variant = createVariant(encoding);
    variants.set(encoding, variant);
    // The next request tries again.
    variant.catch(() => variants.delete(encoding));
    return variant;
  }

  async function createVariant(encoding: Encoding): Promise<Variant> {
    const plain = encoding === 'identity' ? Buffer.from(await write()) : (await variantOf('identity')).body;
    const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    return { body: await encode[encoding](plain), etag: encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"` };
  }

  return async (request, response) => {
    const encoding = (['br', 'gzip'] as const).find((one) => request.acceptsEncodings(one) === one) ?? 'identity';
    const { body, etag } = await variantOf(encoding);
    response.vary('Accept-Encoding').set({ ETag: etag, 'Cache-Control': caching });
    if (hasVersion(request.headers, etag)) {
      response.status(304).end();
      return;
    }
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.type(type).send(body);
  };
}

/** Documents that are kept for one address each. A client may invent host names, so the number has a limit. */
const MOST_ADDRESSES = 4;

/** Stands for the address while the document is written once for all addresses. YAML quotes it, so it quotes each address. */
const UNKNOWN: OwnAddress = { origin: 'http://[unknown]:0', host: '[unknown]:0' };

/** As `fixedDocument`, for a document with the address under which it was asked for. @param write gets that address, or one in its place */
export function addressedDocument(type: string, write: (address: OwnAddress) => Text): Answer {
  const documents = new LRUCache<string, Answer>({ max: MOST_ADDRESSES });
  let written: string | undefined;

  async function textFor({ origin, host }: OwnAddress): Promise<string> {
    written ??= await write(UNKNOWN);
    return written.replaceAll(UNKNOWN.origin, origin).replaceAll(UNKNOWN.host, host);
  }

  return (request, response) => {
    const address = ownAddress(request);
    const answer = documents.get(address.origin) ?? fixedDocument(type, () => textFor(address));
    documents.set(address.origin, answer);
    return answer(request, response);
  };
}
