const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const STEP = '  ';

/**
 * Lays JSON out for reading, one array item per line. Works on the text, not on parsed values, so that 6.90 stays 6.90.
 * Text that is not JSON is returned as it is.
 */
export function layOut(text: string): string[] {
  if (parsed(text) === undefined) return text.split('\n');
  const lines = [''];
  let depth = 0;
  let previous = '';
  const breakLine = (): void => void lines.push(STEP.repeat(depth));
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      if (previous !== '{' && previous !== '[') breakLine();
    } else if (previous === '{' || previous === '[' || previous === ',') {
      breakLine();
    }
    lines[lines.length - 1] += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    previous = token;
  }
  return lines;
}

/** Marks the lines of laid-out text that belong to a rejected basket line. Neighbours are joined. */
export function markRejected(lines: readonly string[]): readonly { readonly text: string; readonly rejected: boolean }[] {
  const opening = `${STEP}${STEP}{`;
  const closing = `${STEP}${STEP}}`;
  const blocks: string[][] = [];
  for (const line of lines) {
    if (line === opening || blocks.length === 0) blocks.push([]);
    blocks.at(-1)?.push(line);
    if (line === closing || line === `${closing},`) blocks.push([]);
  }
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => ({
      text: block.join('\n'),
      rejected: block[0] === opening && block.some((line) => /^ {6}"status": "REJECTED",?$/.test(line)),
    }));
}

/** The value of JSON text; undefined for other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
