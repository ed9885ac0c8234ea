import bwipjs from 'bwip-js/node';
import PDFDocument from 'pdfkit';
import type { z } from 'zod';
import type { Address } from '../../../shared/catalog/shapes.ts';
import type { StoredShipment } from '../collections.ts';
import { printable } from './printable-text.ts';

/** What stands on a label. */
export type LabelContent = Pick<StoredShipment, 'id' | 'carrier' | 'service' | 'from' | 'to' | 'fulfillmentOrderId' | 'returnId'> & {
  readonly trackingNumber: string;
  readonly labelledAt: string;
};

type Postal = z.output<typeof Address>;
type Document = InstanceType<typeof PDFDocument>;
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** 4 × 6 inches, what label printers are loaded with; in points. */
const WIDTH = 288;
const HEIGHT = 432;
const MARGIN = 14;
const INNER = WIDTH - 2 * MARGIN;

const REGULAR = 'Helvetica';
const BOLD = 'Helvetica-Bold';
const LEADING = 1.2;
const SMALLEST = 4;

/** The label as a PDF document of one page. The same parcel gives the same bytes. */
export async function labelDocument(content: LabelContent): Promise<Buffer> {
  const document = new PDFDocument({
    size: [WIDTH, HEIGHT],
    margin: 0,
    info: {
      Title: `Shipping label ${content.trackingNumber}`,
      Author: printable(content.carrier),
      Subject: `Shipment ${content.id}`,
      CreationDate: new Date(content.labelledAt),
      ModDate: new Date(content.labelledAt),
    },
  });
  const bytes = bytesOf(document);
  drawHeader(document, content);
  drawSender(document, content);
  drawRecipient(document, content.to);
  drawBarcode(document, content.trackingNumber);
  drawReferences(document, content);
  document.end();
  return bytes;
}

function bytesOf(document: Document): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
}

function drawHeader(document: Document, { carrier, service }: LabelContent): void {
  document
    .lineWidth(1.5)
    .rect(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, HEIGHT - MARGIN)
    .stroke('#000');
  document.rect(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, 44).fill('#000');
  const white = { font: BOLD, color: '#fff', middle: true } as const;
  const band = { y: 12, height: 36 };
  write(document, [carrier.toUpperCase()], { ...white, box: { ...band, x: MARGIN, width: 150 }, size: 18 });
  write(document, [service], { ...white, box: { ...band, x: MARGIN + 158, width: 102 }, size: 18, align: 'right' });
}

function drawSender(document: Document, { from }: LabelContent): void {
  caption(document, 'FROM', 60);
  write(document, addressLines(from), { box: { x: MARGIN + 40, y: 59, width: INNER - 40, height: 58 }, font: REGULAR, size: 9 });
  rule(document, 122);
}

/** The recipient is what a driver reads at the door: as large as the box allows. */
function drawRecipient(document: Document, to: Postal): void {
  caption(document, 'SHIP TO', 129);
  const [name = '', ...rest] = addressLines(to);
  const box = { x: MARGIN + 40, y: 128, width: INNER - 40, height: 118 };
  const bottom = write(document, [name], { box: { ...box, height: 42 }, font: BOLD, size: 15 });
  write(document, rest, { box: { ...box, y: bottom + 3, height: box.y + box.height - bottom - 3 }, font: REGULAR, size: 14 });
  rule(document, 252);
}

/** A quiet zone of ten modules on both sides is what Code 128 asks for. */
const QUIET_MODULES = 10;
const BARS_TOP = 280;
const BARS_HEIGHT = 78;

function drawBarcode(document: Document, trackingNumber: string): void {
  caption(document, 'TRACKING NUMBER', 259);
  const widths = code128(trackingNumber);
  const module = INNER / (widths.reduce((sum, width) => sum + width, 0) + 2 * QUIET_MODULES);
  let x = MARGIN + QUIET_MODULES * module;
  widths.forEach((width, position) => {
    if (position % 2 === 0) document.rect(x, BARS_TOP, width * module, BARS_HEIGHT);
    x += width * module;
  });
  document.fill('#000');
  const spaced = `${trackingNumber.slice(0, 2)} ${trackingNumber.slice(2).replaceAll(/(.{4})(?=.)/g, '$1 ')}`;
  write(document, [spaced], {
    box: { x: MARGIN, y: BARS_TOP + BARS_HEIGHT + 7, width: INNER, height: 16 },
    font: BOLD,
    size: 13,
    align: 'center',
  });
  rule(document, 388);
}

/** Widths of bars and spaces in modules, beginning with a bar. */
function code128(text: string): readonly number[] {
  const [symbol] = bwipjs.raw({ bcid: 'code128', text });
  if (!symbol || !('sbs' in symbol)) throw new Error(`"${text}" has no bars in Code 128.`);
  return symbol.sbs;
}

function drawReferences(document: Document, { id, fulfillmentOrderId, returnId, labelledAt }: LabelContent): void {
  const what = returnId === undefined ? `Fulfilment order ${fulfillmentOrderId}` : `Return ${returnId}`;
  const lines = [`Shipment ${id}`, what, `Label made ${labelledAt.slice(0, 16).replace('T', ' ')} UTC`];
  write(document, lines, { box: { x: MARGIN, y: 393, width: INNER, height: 28 }, font: REGULAR, size: 7 });
}

const addressLines = ({ name, line1, postalCode, city, country }: Postal): string[] => [
  name,
  line1,
  `${postalCode} ${city}`,
  `${COUNTRIES.of(country) ?? country} (${country})`,
];

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' });

function caption(document: Document, text: string, y: number): void {
  document.font(BOLD).fontSize(6.5).fillColor('#000').text(text, MARGIN, y, { lineBreak: false });
}

function rule(document: Document, y: number): void {
  document
    .lineWidth(0.75)
    .moveTo(MARGIN / 2, y)
    .lineTo(WIDTH - MARGIN / 2, y)
    .stroke('#000');
}

interface Style {
  readonly box: Box;
  readonly font: string;
  /** At most; less where the text would not fit. */
  readonly size: number;
  readonly color?: string;
  readonly align?: 'left' | 'center' | 'right';
  /** In the middle of the box's height, not at its top. */
  readonly middle?: boolean;
}

/**
 * Writes lines into a box, breaking them where they are too long, in the largest size in which all of them fit.
 * @returns where the text ends
 */
function write(
  document: Document,
  lines: readonly string[],
  { box, font, size, color = '#000', align = 'left', middle = false }: Style,
): number {
  const texts = lines.map(printable);
  let now = size;
  let broken = texts.flatMap((text) => breakLine(document.font(font).fontSize(now), text, box.width));
  while (now > SMALLEST && broken.length * now * LEADING > box.height) {
    now -= 0.5;
    broken = texts.flatMap((text) => breakLine(document.font(font).fontSize(now), text, box.width));
  }
  document.font(font).fontSize(now).fillColor(color);
  const height = broken.length * now * LEADING;
  const top = middle ? box.y + (box.height - height) / 2 : box.y;
  broken.forEach((text, position) => {
    const spare = box.width - document.widthOfString(text);
    const x = box.x + (align === 'right' ? spare : align === 'center' ? spare / 2 : 0);
    document.text(text, x, top + position * now * LEADING, { lineBreak: false });
  });
  return top + height;
}

/** Breaks at spaces, and inside a word only when it is longer than the line. */
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
