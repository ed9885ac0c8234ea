const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const STEP = '  ';

/**
 * Lays JSON out for reading, one array item per line. Works on the text, not on parsed values, so that 6.90 stays 6.90.
 * Text that is not JSON is returned as it is.
 */
export function layOut(text) {
  if (!isJson(text)) return text.split('\n');
  const lines = [''];
  let depth = 0;
  let previous = '';
  const breakLine = () => lines.push(STEP.repeat(depth));
  const append = (token) => {
    lines[lines.length - 1] += token;
  };
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      if (previous !== '{' && previous !== '[') breakLine();
    } else if (previous === '{' || previous === '[' || previous === ',') {
      breakLine();
    }
    append(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    previous = token;
  }
  return lines;
}

/** Marks the lines of laid-out text that belong to a rejected basket line: `[{ text, rejected }]`, neighbours joined. */
export function markRejected(lines) {
  const opening = `${STEP}${STEP}{`;
  const closing = `${STEP}${STEP}}`;
  const blocks = [];
  for (const line of lines) {
    if (line === opening || blocks.length === 0) blocks.push([]);
    blocks.at(-1).push(line);
    if (line === closing || line === `${closing},`) blocks.push([]);
  }
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => ({
      text: block.join('\n'),
      rejected: block[0] === opening && block.some((line) => /^ {6}"status": "REJECTED",?$/.test(line)),
    }));
}

export function isJson(text) {
  return parsed(text) !== undefined;
}

/** The value of JSON text; undefined for other text. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
