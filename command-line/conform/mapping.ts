import { parse, YAMLParseError } from 'yaml';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';
import type { Suite } from '../../shared/contract/suites/suite.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { type Mapping, mappingFrom, mappingShape } from '../../shared/elsewhere/conform/mapping.ts';
import { PIPE_MS, readTextWithin } from '../../shared/process/bounded-file.ts';
import { misuse } from '../failure.ts';

/** @throws CommandFailure with a line for each mistake */
export function mappingOf(suite: Suite, file: string | undefined): Mapping {
  const { error, data } = mappingShape(suite).safeParse(file === undefined ? {} : (yamlIn(file) ?? {}), IN_WORDS);
  if (error) {
    const lines = [...mistakesIn(error.issues)].map(({ path, detail }) => `${file}: ${path.join('.') || 'the file'}: ${detail}`);
    throw misuse(lines.join('\n'));
  }
  return mappingFrom(suite, data);
}

function yamlIn(file: string): unknown {
  const text = textOf(file);
  try {
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    if (error instanceof YAMLParseError && error.message.includes('call stack'))
      throw misuse(`${file} cannot be read: it is nested too deeply.`);
    // A text with too many aliases is refused with another class of error.
    throw misuse(`${file} is not YAML: ${errorMessage(error).split('\n')[0]}`);
  }
}

/** Bytes of a mapping, or of headers. The parser compares each key of a mapping with all others. */
const MOST_BYTES = 65_536;

function textOf(file: string): string {
  try {
    return readTextWithin(file, { most: MOST_BYTES, pipeMs: PIPE_MS });
  } catch (error) {
    throw misuse(`${file} cannot be read: ${errorMessage(error)}.`);
  }
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(\S.*?)[ \t]*$/;

/** Headers of each call, one `Name: value` per line. @throws CommandFailure that names each invalid line without its value */
export function headersIn(file: string | undefined): Readonly<Record<string, string>> {
  if (file === undefined) return {};
  const lines = textOf(file)
    .split(/\r?\n/)
    .map((line, index) => ({ line, place: index + 1 }));
  const filled = lines.filter(({ line }) => line.trim() !== '');
  const wrong = filled.filter(({ line }) => !HEADER.test(line));
  if (wrong.length > 0)
    throw misuse(wrong.map(({ place }) => `${file}: line ${place} is not a header, like Authorization: Bearer …`).join('\n'));
  return Object.fromEntries(filled.map(({ line }) => (HEADER.exec(line) ?? []).slice(1, 3) as [string, string]));
}
