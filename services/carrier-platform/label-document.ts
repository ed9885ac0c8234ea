import bwipjs from 'bwip-js/node';
import PDFDocument from 'pdfkit';
import type { z } from 'zod';
import type { Address } from '../../shared/catalog/shapes.ts';
import type { StoredShipment } from './collections.ts';
import { BOLD, type Document, printable, REGULAR, writeText } from './text-box.ts';

type LabelContent = Pick<StoredShipment, 'id' | 'carrier' | 'service' | 'from' | 'to' | 'fulfillmentOrderId' | 'returnId'> & {
  readonly trackingNumber: string;
  readonly labelledAt: string;
};

type Postal = z.output<typeof Address>;

/** 4 × 6 inches, the usual label format; in points. */
const WIDTH = 288;
const HEIGHT = 432;
const MARGIN = 14;
const INNER = WIDTH - 2 * MARGIN;

/** Draws the label as a PDF document of one page. The same parcel gives the same bytes. */
export async function drawLabel(content: LabelContent): Promise<Buffer> {
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
  const bytes = collectBytes(document);
  drawHeader(document, content);
  drawSender(document, content);
  drawRecipient(document, content.to);
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

function drawHeader(document: Document, { carrier, service }: LabelContent): void {
  document
    .lineWidth(1.5)
    .rect(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, HEIGHT - MARGIN)
    .stroke('#000');
  document.rect(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, 44).fill('#000');
  const white = { font: BOLD, color: '#fff', middle: true } as const;
  const band = { y: 12, height: 36 };
  writeText(document, [carrier.toUpperCase()], { ...white, box: { ...band, x: MARGIN, width: 150 }, size: 18 });
  writeText(document, [service], { ...white, box: { ...band, x: MARGIN + 158, width: 102 }, size: 18, align: 'right' });
}

function drawSender(document: Document, { from }: LabelContent): void {
  drawCaption(document, 'FROM', 60);
  writeText(document, addressLines(from), { box: { x: MARGIN + 40, y: 59, width: INNER - 40, height: 58 }, font: REGULAR, size: 9 });
  drawRule(document, 122);
}

/** The driver reads the recipient at the door, so it is as large as the box allows. */
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

const addressLines = ({ name, line1, postalCode, city, country }: Postal): string[] => [
  name,
  line1,
  `${postalCode} ${city}`,
  `${COUNTRIES.of(country) ?? country} (${country})`,
];

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' });

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
