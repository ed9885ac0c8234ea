/** Latin letters that are not a letter with a mark, as carriers write them on labels. */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  ı: 'i',
  Ŋ: 'N',
  ŋ: 'n',
  Œ: 'OE',
  œ: 'oe',
  Ŧ: 'T',
  ŧ: 't',
  ẞ: 'SS',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '…': '...',
};

/** The standard PDF fonts cover printable ASCII and Latin-1. */
const PRINTABLE = /^[\x20-\x7e\xa0-\xff]$/;

/** Text in the characters of the label: other Latin letters lose their marks, other scripts and signs become a question mark. */
export function printable(text: string): string {
  return [...text.normalize('NFC')].map(printableCharacter).join('').replaceAll(/\s+/g, ' ').trim();
}

function printableCharacter(character: string): string {
  if (/\s/.test(character)) return ' ';
  if (PRINTABLE.test(character)) return character;
  const written = WRITTEN_AS[character] ?? character.normalize('NFKD').replaceAll(/\p{Mark}/gu, '');
  return [...written].map((one) => (PRINTABLE.test(one) ? one : (WRITTEN_AS[one] ?? '?'))).join('');
}
