import { CENSOR } from './censor.ts';

/** Maximum number of rounds of decoding. No reader decodes text that is encoded more often. */
const MOST_ENCODINGS = 3;

/** A text as a reader decodes it: its characters, and where each of them begins in the original. */
interface Reading {
  readonly text: string;
  readonly begins: Int32Array;
}

type Range = readonly [from: number, to: number];

/**
 * Replaces secrets in a text of bytes (`latin1`), also where they are encoded as base64, in percent or in escapes of JSON. A run of
 * base64 that contains a secret is replaced as a whole.
 * @param secrets ASCII
 * @param breathe yields to other work when this has run for long
 */
export async function censorEchoes(text: string, secrets: readonly string[], breathe: () => Promise<void> | undefined): Promise<string> {
  const plain = [...new Set(secrets)];
  const encoded = [...new Set(plain.flatMap(base64Of))];
  const found: Range[] = [];
  let reading: Reading | undefined = { text, begins: placesOf(text) };
  for (let times = 0; reading && times <= MOST_ENCODINGS; times++) {
    for (const [parts, isEncoded] of [
      [plain, false],
      [encoded, true],
    ] as const) {
      for (const part of parts) {
        found.push(...rangesOf(reading, part, isEncoded));
        await breathe();
      }
    }
    reading = decoded(reading);
    await breathe();
  }
  return withoutRanges(text, found);
}

function placesOf({ length }: string): Int32Array {
  const places = new Int32Array(length + 1);
  for (let place = 0; place <= length; place++) places[place] = place;
  return places;
}

/** The characters that base64 has for a text wherever the text begins in the encoded bytes, in both alphabets. */
function base64Of(secret: string): string[] {
  const fragments = [0, 2, 3].map((skipped, before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    return bytes.toString('base64').slice(skipped, Math.floor((bytes.length * 8) / 6));
  });
  return [...fragments, ...fragments.map((fragment) => fragment.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** By its code, whether base64 has a character. Outside the text the code is NaN. */
const isBase64 = Uint8Array.from({ length: 256 }, (_, code) => (/[\w+/=-]/.test(String.fromCharCode(code)) ? 1 : 0));

function rangesOf({ text, begins }: Reading, part: string, isRun: boolean): Range[] {
  const ranges: Range[] = [];
  let at = text.indexOf(part);
  while (at >= 0) {
    let [from, to] = [at, at + part.length];
    while (isRun && isBase64[text.charCodeAt(from - 1)]) from -= 1;
    while (isRun && isBase64[text.charCodeAt(to)]) to += 1;
    ranges.push([begins[from] as number, begins[to] as number]);
    at = text.indexOf(part, to);
  }
  return ranges;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
/** By its code, the value of a hexadecimal digit; NaN for another character. */
const digit = Float64Array.from({ length: 256 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16));

/** Decodes `%xx`, `\u00xx`, and a backslash before a character. @returns undefined when nothing is encoded */
function decoded({ text, begins }: Reading): Reading | undefined {
  if (!/%[\da-f]{2}|\\/i.test(text)) return undefined;
  const characters = Buffer.alloc(text.length);
  const places = new Int32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    places[length] = begins[at] as number;
    const code = text.charCodeAt(at);
    const digits =
      code === PERCENT ? 1 : code === BACKSLASH && text.charCodeAt(at + 1) === SMALL_U && text.startsWith('00', at + 2) ? 4 : 0;
    const byte =
      digits > 0
        ? 16 * (digit[text.charCodeAt(at + digits)] ?? Number.NaN) + (digit[text.charCodeAt(at + digits + 1)] ?? Number.NaN)
        : Number.NaN;
    if (byte >= 0) {
      characters[length] = byte;
      at += digits + 2;
    } else {
      const isEscape = code === BACKSLASH && at + 1 < text.length;
      characters[length] = isEscape ? text.charCodeAt(at + 1) : code;
      at += isEscape ? 2 : 1;
    }
  }
  places[length] = begins[text.length] as number;
  return { text: characters.toString('latin1', 0, length), begins: places };
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  let [result, end] = ['', 0];
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (from >= end) result += text.slice(end, from) + CENSOR;
    end = Math.max(end, to);
  }
  return end === 0 ? text : result + text.slice(end);
}
