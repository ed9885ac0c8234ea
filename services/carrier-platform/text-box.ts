import type PDFDocument from 'pdfkit';

export type Document = InstanceType<typeof PDFDocument>;

/** A box on the page. Numbers are in points, from the top left corner. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const REGULAR = 'Helvetica';
export const BOLD = 'Helvetica-Bold';
/** Line height, as a multiple of the font size. */
const LEADING = 1.2;
/** Font sizes in points. */
const SMALLEST = 4;
const SIZE_STEP = 0.5;

interface TextStyle {
  readonly box: Box;
  readonly font: string;
  /** The largest font size, in points; smaller when the text would not fit. */
  readonly size: number;
  readonly color?: string;
  readonly align?: 'left' | 'center' | 'right';
  /** Whether the text is centred vertically in the box. */
  readonly middle?: boolean;
}

/** Writes lines into a box in the largest size that fits all, broken if long. @returns the lower end, in points from the top */
export function writeText(
  document: Document,
  lines: readonly string[],
  { box, font, size: largest, color = '#000', align = 'left', middle = false }: TextStyle,
): number {
  const texts = lines.map(printable);
  const { size, broken } = fitText(document.font(font), texts, { box, largest });
  document.font(font).fontSize(size).fillColor(color);
  const height = broken.length * size * LEADING;
  const top = middle ? box.y + (box.height - height) / 2 : box.y;
  broken.forEach((text, position) => {
    const spare = box.width - document.widthOfString(text);
    const x = box.x + (align === 'right' ? spare : align === 'center' ? spare / 2 : 0);
    document.text(text, x, top + position * size * LEADING, { lineBreak: false });
  });
  return top + height;
}

/** Breaks lines at the largest font size that fits them into a box, or at the smallest one. */
function fitText(
  document: Document,
  texts: readonly string[],
  { box, largest }: { readonly box: Box; readonly largest: number },
): { readonly size: number; readonly broken: readonly string[] } {
  for (let size = largest; ; size -= SIZE_STEP) {
    const broken = texts.flatMap((text) => breakLine(document.fontSize(size), text, box.width));
    if (size <= SMALLEST || broken.length * size * LEADING <= box.height) return { size, broken };
  }
}

/** Breaks a line at spaces. A word that is longer than the line is broken too. */
function breakLine(document: Document, text: string, width: number): string[] {
  const fits = (candidate: string): boolean => document.widthOfString(candidate) <= width;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && fits(`${line} ${word}`)) {
      line = `${line} ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (!fits(line)) {
      let end = line.length - 1;
      while (end > 1 && !fits(line.slice(0, end))) end -= 1;
      lines.push(line.slice(0, end));
      line = line.slice(end);
    }
  }
  return [...lines, line];
}

/** Latin letters that do not decompose into a letter and an accent, as carriers write them on labels. */
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

/** Text in the characters of the label: other Latin letters lose their accents, and characters of other scripts become question marks. */
export function printable(text: string): string {
  return [...text.normalize('NFC')].map(printableCharacter).join('').replaceAll(/\s+/g, ' ').trim();
}

function printableCharacter(character: string): string {
  if (/\s/.test(character)) return ' ';
  if (PRINTABLE.test(character)) return character;
  const written = WRITTEN_AS[character] ?? character.normalize('NFKD').replaceAll(/\p{Mark}/gu, '');
  return [...written].map((one) => (PRINTABLE.test(one) ? one : (WRITTEN_AS[one] ?? '?'))).join('');
}
