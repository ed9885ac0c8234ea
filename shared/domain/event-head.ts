/** The members of an event that identify its type and subject. */
interface EventHead {
  readonly type: string;
  readonly subject: string;
  readonly correlationid: string;
}

/** The estate writes these members first. All members up to the last of them are texts and numbers. */
const HEAD =
  /^\{"specversion":"1\.0","id":"[^"\\]*","source":"[^"\\]*","type":"([^"\\]*)","subject":"([^"\\]*)",(?:"[a-z]+":(?:"[^"\\]*"|\d+),)*?"correlationid":"([^"\\]*)"/;

/**
 * Reads the head of an event without parsing the object that it carries. Any other text is parsed, and its missing members are missing here
 * too.
 */
export function eventHead(json: string): Partial<EventHead> {
  const [, type, subject, correlationid] = HEAD.exec(json) ?? [];
  if (type === undefined || subject === undefined || correlationid === undefined) return parsedHead(json);
  return { type, subject, correlationid };
}

function parsedHead(json: string): Partial<EventHead> {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
