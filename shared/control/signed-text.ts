import { createHmac } from 'node:crypto';
import { comparisonWith, hmacOf } from './credentials.ts';

/** More characters than any signed text of the estate has. */
const MOST_CHARACTERS = 4_096;

interface SignedText {
  readonly content: string;
  readonly signature: string;
}

/** The parts of `<prefix><content>.<signature>`. @returns undefined unless the text has exactly these, neither empty */
export function signedParts(text: string, prefix = ''): SignedText | undefined {
  if (text.length > MOST_CHARACTERS || !text.startsWith(prefix)) return undefined;
  const [content = '', signature = '', ...others] = text.slice(prefix.length).split('.', 3);
  return content !== '' && signature !== '' && others.length === 0 ? { content, signature } : undefined;
}

interface SigningOptions {
  readonly prefix: string;
  /** All processes of the estate have it. */
  readonly secret: string;
  /** What the texts are. Texts of one use are not accepted for another one. */
  readonly use: string;
}

/** Texts that carry a JSON value with its signature. Each process that has the secret verifies them without a read. */
export function createSigning({ prefix, secret, use }: SigningOptions) {
  // Another key than the secret, which has other uses, and which must not sign texts that leave the estate.
  const key = hmacOf(secret, `signature of ${use}`);
  const signatureOf = (content: string): string => createHmac('sha256', key).update(content).digest('base64url');
  return {
    sign(value: unknown): string {
      const content = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${prefix}${content}.${signatureOf(content)}`;
    },
    /** @returns the value; undefined when this estate has not signed the text */
    read(text: string): unknown {
      const parts = signedParts(text, prefix);
      return parts && comparisonWith(signatureOf(parts.content))(parts.signature) ? valueIn(parts.content) : undefined;
    },
  };
}

/** The value in the content of a signed text. */
export const valueIn = (content: string): unknown => JSON.parse(Buffer.from(content, 'base64url').toString());
