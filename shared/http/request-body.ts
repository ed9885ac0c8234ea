import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Problem } from '../catalog/problems.ts';
import { BODY_BYTES } from '../contract/body-limit.ts';
import { pointerTo, refuseNotText, refusePrototypes } from '../contract/validation.ts';
import { exceededLimit, FILE_KINDS, JSON_KINDS, JSON_LEVELS, JSON_MEMBERS, JSON_VALUES, mostValues } from '../domain/json-limits.ts';
import { nextTurn } from '../process/waiting.ts';

/** The client closed its connection while sending. No answer is expected. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const bodyTooLarge = (most: number): Problem =>
  new Problem('payload_too_large', `The body of this request has at most ${most.toLocaleString('en')} bytes: send fewer.`);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** Node removes the coding `chunked`, and leaves others in the body. */
function refuseOtherTransfer({ headers: { 'transfer-encoding': coding } }: IncomingMessage): void {
  if (coding === undefined || /^chunked$/i.test(coding.trim())) return;
  throw new Problem('malformed_request', 'Send the body with Transfer-Encoding: chunked alone, or with a Content-Length.');
}

/**
 * The whole body, unparsed. The gateway reads it before it calls an application, so that slow clients, oversized chunked bodies and clients
 * that leave cost no application anything. The forwarded body has a Content-Length.
 * @param most limit of its bytes
 * @throws Problem `payload_too_large` for the announced or the actual length, `malformed_request` for a transfer coding; ClientGone
 */
export async function readBody(request: IncomingMessage, response: ServerResponse, most = BODY_BYTES): Promise<Buffer | undefined> {
  const isExpected = hasBody(request);
  refuseOtherTransfer(request);
  if (isExpected && Number(request.headers['content-length'] ?? 0) > most) throw bodyTooLarge(most);
  if (isExpected && /^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  // Node is still parsing. By the next turn it has parsed a short body that came together with its headers, so that it can be read without listeners.
  // Requests that arrived together also continue together, which lowers the gateway's cost of a request without a body by a sixth.
  await nextTurn();
  if (request.destroyed) throw new ClientGone();
  if (!isExpected) return undefined;
  return request.complete ? takeBody(request, most) : collectBody(request, most);
}

function takeBody(request: IncomingMessage, most: number): Buffer | undefined {
  const body = request.read() as Buffer | null;
  if (body !== null && body.length > most) throw bodyTooLarge(most);
  return body ?? undefined;
}

/** From so many chunks on, they must have the least mean size: each one costs memory and time, however small it is. */
const CHUNKS_OF_ANY_SIZE = 1_000;
const LEAST_MEAN_BYTES = 16;

const tooManyChunks = (): Problem =>
  new Problem('malformed_request', `The body came in chunks of fewer than ${LEAST_MEAN_BYTES} bytes on average: send larger ones.`);

function collectBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (act: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      act();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      const refusal =
        bytes > most
          ? bodyTooLarge(most)
          : chunks.length > CHUNKS_OF_ANY_SIZE && bytes / chunks.length < LEAST_MEAN_BYTES
            ? tooManyChunks()
            : undefined;
      if (!refusal) return;
      request.pause();
      settle(() => reject(refusal));
    };
    const onEnd = (): void => settle(() => resolve(bytes === 0 ? undefined : Buffer.concat(chunks, bytes)));
    const onClose = (): void => settle(() => reject(new ClientGone()));
    // An aborted request emits an error before it closes; only the close counts.
    request.on('error', () => {});
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** A parsed body, and its text, which a signature covers. */
export interface JsonBody {
  readonly value: unknown;
  readonly text: string;
}

/**
 * Reads a JSON body of an API, of the control plane or of a call between applications. It refuses, before any schema, bytes that are not
 * UTF-8, JSON beyond the limits, and strings that are not text.
 * @param body bytes from a connection; text within a process
 * @param options.isInside whether the body is from another application, which may send whole objects, whose lists have no limit
 * @param options.most limit of the decoded bytes
 * @returns undefined for a request without a body
 * @throws Problem `unsupported_media_type`, `payload_too_large`, `malformed_request`, and `validation_failed` for strings that are not text
 */
export async function readJson(
  headers: IncomingHttpHeaders,
  body: Buffer | string | undefined,
  { isInside = false, most = BODY_BYTES }: { readonly isInside?: boolean; readonly most?: number } = {},
): Promise<JsonBody | undefined> {
  if (body === undefined) return undefined;
  refuseOtherMedia(headers['content-type']);
  const text = typeof body === 'string' ? body : (await bytesOf(body, { coding: headers['content-encoding'], most })).toString();
  if (text === '') return undefined;
  return { value: jsonIn(text, isInside ? {} : OUTSIDE), text };
}

/**
 * The bytes of a JSON body, decoded and not parsed.
 * @param most limit of the decoded bytes
 * @returns undefined for a request without a body
 * @throws Problem `unsupported_media_type`, `payload_too_large`, and `malformed_request` for bytes that are not UTF-8
 */
export async function readJsonBytes(headers: IncomingHttpHeaders, body: Buffer | undefined, most: number): Promise<Buffer | undefined> {
  if (body === undefined) return undefined;
  refuseOtherMedia(headers['content-type']);
  return bytesOf(body, { coding: headers['content-encoding'], most });
}

/** The most members of an object, and the most values and kinds of objects of the whole. */
interface Limits {
  readonly members?: number;
  readonly values?: number;
  readonly kinds?: number;
}

/** Limits of JSON from outside the estate. */
const OUTSIDE: Limits = { members: JSON_MEMBERS, values: JSON_VALUES, kinds: JSON_KINDS };

/** The excess of a JSON body from outside the estate, as a sentence. Code that does not read it with `readJson` refuses it with this. */
export const excessOfBody = (json: string): string | undefined => excessOf(json, OUTSIDE);

/** The value of a file. @throws Problem `malformed_request`, and `validation_failed` for strings that are not text */
export const fileIn = (text: string): unknown => jsonIn(text, { values: mostValues(text.length), kinds: FILE_KINDS });

function jsonIn(text: string, limits: Limits): unknown {
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  refuseExcess(json, limits);
  const value = parse(json);
  // In UTF-8 JSON, only an escape can encode characters that are not text.
  const hasEscapes = json.includes('\\u');
  if (hasEscapes) refuseNotText(value, 'body');
  if (hasEscapes || json.includes('__proto__')) refusePrototypes(value);
  return value;
}

interface Coding {
  readonly coding: string | undefined;
  /** Limit of the decoded bytes. */
  readonly most: number;
}

async function bytesOf(body: Buffer, coding: Coding): Promise<Buffer> {
  const bytes = await decoded(body, coding);
  if (!isUtf8(bytes)) throw new Problem('malformed_request', 'The body is not UTF-8: send JSON in UTF-8.');
  return bytes;
}

const BYTE_ORDER_MARK = '\ufeff';
const JSON_TYPE = /^application\/(?:json|[\w!#$&^.+-]+\+json)\s*(?:;|$)/i;
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

function refuseOtherMedia(type: string | undefined): void {
  if (type === undefined || !JSON_TYPE.test(type.trim())) {
    throw new Problem('unsupported_media_type', `Send the body as application/json, not ${type ?? 'without a Content-Type'}.`);
  }
  if (OTHER_CHARSET.test(type)) throw unsupportedCoding();
}

const unsupportedCoding = (): Problem =>
  new Problem('unsupported_media_type', 'Send the body as JSON in UTF-8, as it is or compressed with gzip, deflate or br.');

const DECODERS: ReadonlyMap<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

async function decoded(body: Buffer, { coding = '', most }: Coding): Promise<Buffer> {
  const name = coding.trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  const decode = DECODERS.get(name);
  if (!decode) throw unsupportedCoding();
  try {
    return await decode(body, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(most);
    throw new Problem('malformed_request', `The body is not ${name}, but its Content-Encoding is.`);
  }
}

function refuseExcess(json: string, limits: Limits): void {
  const excess = excessOf(json, limits);
  if (excess !== undefined) throw new Problem('malformed_request', excess);
}

/** Characters of a text that is parsed to name the place of its excess. A longer one would take too long. */
const MOST_SEARCHED = 65_536;

function excessOf(json: string, limits: Limits): string | undefined {
  const exceeded = exceededLimit(json, { levels: JSON_LEVELS, ...limits });
  if (exceeded === undefined) return undefined;
  if (exceeded === 'levels') return `The body nests deeper than ${JSON_LEVELS} levels.`;
  if (exceeded === 'values')
    return `The body has more than ${Math.floor(limits.values ?? 0).toLocaleString('en')} values in all: send fewer.`;
  if (exceeded === 'kinds') {
    const most = (limits.kinds ?? 0).toLocaleString('en');
    return `The body has more than ${most} different names or sequences of members: use the same names in the same order, or send less.`;
  }
  // The rest of the body may have any number of values.
  const isSearched = json.length <= MOST_SEARCHED && exceededLimit(json, { levels: JSON_LEVELS }) === undefined;
  const place = isSearched ? (pointerOfExcess(parse(json)) ?? '') : '';
  const what = place === '' ? 'The body' : `The member ${place} of the body`;
  return `${what} has more than ${JSON_MEMBERS.toLocaleString('en')} members or items: send fewer.`;
}

/** The JSON pointer of the first object or list with too many members. It is within the permitted levels. */
function pointerOfExcess(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value !== 'object' || value === null || path.length > JSON_LEVELS) return undefined;
  const members = Object.entries(value);
  if (members.length > JSON_MEMBERS) return pointerTo('body', path);
  return members.map(([name, member]) => pointerOfExcess(member, [...path, name])).find((found) => found !== undefined);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Problem('malformed_request', 'The body is not valid JSON.');
  }
}
