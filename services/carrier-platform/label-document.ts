import bwipjs from 'bwip-js/node';
import PDFDocument from 'pdfkit';
import type { z } from 'zod';
import type { ShelfLabel } from '../../shared/catalog/fulfillment/shipments.ts';
import type { Address } from '../../shared/catalog/shapes.ts';
import { countryName } from '../../shared/domain/countries.ts';
import type { StoredShipment } from './collections.ts';

type LabelContent = Pick<StoredShipment, 'id' | 'carrier' | 'service' | 'from' | 'to' | 'fulfillmentOrderId' | 'returnId'> & {
  readonly trackingNumber: string;
  readonly labelledAt: string;
};

type Shelf = z.output<typeof ShelfLabel>;
type Postal = z.output<typeof Address>;

/** 4 × 6 inches, the usual label format; in points. */
const WIDTH = 288;
const HEIGHT = 432;
const MARGIN = 14;
const INNER = WIDTH - 2 * MARGIN;

/** Draws the label as a PDF document of one page. The same parcel gives the same bytes. */
export const drawLabel = (content: LabelContent): Promise<Buffer> =>
  drawPage('Shipping label', content, (document) => {
    drawHeader(document, content.carrier.toUpperCase(), content.service);
    drawSender(document, content);
    drawRecipient(document, content.to);
  });

/** Draws the label of goods that wait for their customer: the staff finds the bag by its order number. It does not show the code. */
export const drawShelfLabel = ({ shelf, ...content }: LabelContent & { readonly shelf: Shelf }): Promise<Buffer> =>
  drawPage('Shelf label', content, (document) => {
    drawHeader(document, 'COLLECT', shelf.units === 1 ? '1 unit' : `${shelf.units} units`);
    drawField(document, 'ORDER', shelf.orderNumber, { y: 60, height: 52, size: 34 });
    drawRule(document, 116);
    const [caption, person] =
      shelf.person === undefined
        ? ['HAND OVER TO', 'The holder of the code']
        : ['HAND OVER TO THE HOLDER OF THE CODE, OR TO', shelf.person];
    drawField(document, caption, person, { y: 123, height: 44, size: 20 });
    drawRule(document, 171);
    drawField(document, 'LAST DAY', dayInWords(shelf.lastDay), { y: 178, height: 34, size: 20 });
    drawRule(document, 214);
    drawField(document, 'STORE', shelf.store, { y: 221, height: 28, size: 12 });
    drawRule(document, 252);
  });

/** A day does not depend on a time zone. */
const DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' });

const dayInWords = (day: string): string => DAY.format(Date.parse(day)).replace(',', '');

function drawField(document: Document, caption: string, text: string, { y, height, size }: { y: number; height: number; size: number }) {
  drawCaption(document, caption, y);
  writeText(document, [text], { box: { x: MARGIN, y: y + 9, width: INNER, height: height - 9 }, font: BOLD, size, middle: true });
}

/** A page with its barcode and its references. @param drawTop draws the upper part */
function drawPage(title: string, content: LabelContent, drawTop: (document: Document) => void): Promise<Buffer> {
  const document = new PDFDocument({
    size: [WIDTH, HEIGHT],
    margin: 0,
    info: {
      Title: `${title} ${content.trackingNumber}`,
      Author: printable(content.carrier),
      Subject: `Shipment ${content.id}`,
      CreationDate: new Date(content.labelledAt),
      ModDate: new Date(content.labelledAt),
    },
  });
  const bytes = collectBytes(document);
  drawTop(document);
  drawBarcode(document, content.trackingNumber);
  drawReferences(document, content);
  document.end();
  return bytes;
}

function collectBytes(document: Document): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
}

function drawHeader(document: Document, left: string, right: string): void {
  document
    .lineWidth(1.5)
    .rect(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, HEIGHT - MARGIN)
    .stroke('#000');
  document.rect(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, 44).fill('#000');
  const white = { font: BOLD, color: '#fff', middle: true } as const;
  const band = { y: 12, height: 36 };
  writeText(document, [left], { ...white, box: { ...band, x: MARGIN, width: 150 }, size: 18 });
  writeText(document, [right], { ...white, box: { ...band, x: MARGIN + 158, width: 102 }, size: 18, align: 'right' });
}

function drawSender(document: Document, { from }: LabelContent): void {
  drawCaption(document, 'FROM', 60);
  writeText(document, addressLines(from), { box: { x: MARGIN + 40, y: 59, width: INNER - 40, height: 58 }, font: REGULAR, size: 9 });
  drawRule(document, 122);
}

/** The driver reads the recipient at the door, so its text is as large as the box allows. */
function drawRecipient(document: Document, to: Postal): void {
  drawCaption(document, 'SHIP TO', 129);
  const [name = '', ...rest] = addressLines(to);
  const box = { x: MARGIN + 40, y: 128, width: INNER - 40, height: 118 };
  const bottom = writeText(document, [name], { box: { ...box, height: 42 }, font: BOLD, size: 15 });
  writeText(document, rest, { box: { ...box, y: bottom + 3, height: box.y + box.height - bottom - 3 }, font: REGULAR, size: 14 });
  drawRule(document, 252);
}

/** Code 128 needs a quiet zone of ten modules on both sides. */
const QUIET_MODULES = 10;
const BARS_TOP = 280;
const BARS_HEIGHT = 78;

function drawBarcode(document: Document, trackingNumber: string): void {
  drawCaption(document, 'TRACKING NUMBER', 259);
  const widths = code128(trackingNumber);
  const module = INNER / (widths.reduce((sum, width) => sum + width, 0) + 2 * QUIET_MODULES);
  let x = MARGIN + QUIET_MODULES * module;
  widths.forEach((width, position) => {
    if (position % 2 === 0) document.rect(x, BARS_TOP, width * module, BARS_HEIGHT);
    x += width * module;
  });
  document.fill('#000');
  const spaced = `${trackingNumber.slice(0, 2)} ${trackingNumber.slice(2).replaceAll(/(.{4})(?=.)/g, '$1 ')}`;
  writeText(document, [spaced], {
    box: { x: MARGIN, y: BARS_TOP + BARS_HEIGHT + 7, width: INNER, height: 16 },
    font: BOLD,
    size: 13,
    align: 'center',
  });
  drawRule(document, 388);
}

/** Widths of bars and spaces in turn, in modules, beginning with a bar. */
function code128(text: string): readonly number[] {
  const [symbol] = bwipjs.raw({ bcid: 'code128', text });
  if (!symbol || !('sbs' in symbol)) throw new Error(`"${text}" has no bars in Code 128.`);
  return symbol.sbs;
}

function drawReferences(document: Document, { id, fulfillmentOrderId, returnId, labelledAt }: LabelContent): void {
  const content = returnId === undefined ? `Fulfillment order ${fulfillmentOrderId}` : `Return ${returnId}`;
  const lines = [`Shipment ${id}`, content, `Label made ${labelledAt.slice(0, 16).replace('T', ' ')} UTC`];
  writeText(document, lines, { box: { x: MARGIN, y: 393, width: INNER, height: 28 }, font: REGULAR, size: 7 });
}

const addressLines = ({ name, line1, line2, city, region, postalCode, country, phone }: Postal): string[] =>
  [
    name,
    line1,
    line2,
    [postalCode, city].filter(Boolean).join(' '),
    region,
    `${countryName(country)} (${country})`,
    phone && `Phone ${phone}`,
  ].filter((line) => line !== undefined);

function drawCaption(document: Document, text: string, y: number): void {
  document.font(BOLD).fontSize(6.5).fillColor('#000').text(text, MARGIN, y, { lineBreak: false });
}

function drawRule(document: Document, y: number): void {
  document
    .lineWidth(0.75)
    .moveTo(MARGIN / 2, y)
    .lineTo(WIDTH - MARGIN / 2, y)
    .stroke('#000');
}

type Document = InstanceType<typeof PDFDocument>;

/** A box on the page. Numbers are in points, from the top left corner. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const REGULAR = 'Helvetica';
const BOLD = 'Helvetica-Bold';
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
function writeText(
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
  { box, largest }: { box: Box; largest: number },
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
function printable(text: string): string {
  return [...text.normalize('NFC')].map(printableCharacter).join('').replaceAll(/\s+/g, ' ').trim();
}

function printableCharacter(character: string): string {
  if (/\s/.test(character)) return ' ';
  if (PRINTABLE.test(character)) return character;
  const written = WRITTEN_AS[character] ?? character.normalize('NFKD').replaceAll(/\p{Mark}/gu, '');
  return [...written].map((one) => (PRINTABLE.test(one) ? one : (WRITTEN_AS[one] ?? '?'))).join('');
}
