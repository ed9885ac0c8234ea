import { PDFiumLibrary } from '@hyzyla/pdfium';
import { BarcodeFormat, BinaryBitmap, DecodeHintType, HybridBinarizer, MultiFormatReader, RGBLuminanceSource } from '@zxing/library';
import PDFDocument from 'pdfkit';

/** Dots per point of a label printer with 203 dpi. */
const SCALE = 203 / 72;

type Hints = ReadonlyMap<DecodeHintType, unknown>;
/** Parcel scanners read one-dimensional codes. */
const LINEAR: Hints = new Map<DecodeHintType, unknown>([
  [DecodeHintType.TRY_HARDER, true],
  [DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat.CODE_128, BarcodeFormat.CODE_39, BarcodeFormat.ITF, BarcodeFormat.EAN_13]],
]);
/** The reader's search for a QR code within a picture misses three of a hundred, whatever their size. Here the code is the picture. */
const QR_CODE: Hints = new Map<DecodeHintType, unknown>([
  [DecodeHintType.PURE_BARCODE, true],
  [DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat.QR_CODE]],
]);

/** The text of a QR code in a picture, which is printed on a page. */
export async function readQrCode(picture: Uint8Array): Promise<string> {
  const document = new PDFDocument({ size: [200, 200], margin: 0 });
  const pages = document.toArray();
  document.image(Buffer.from(picture), 0, 0, { fit: [200, 200] });
  document.end();
  return (await readLabel(new Uint8Array(Buffer.concat(await pages)), QR_CODE)).code;
}

/** A label as it is printed, and as a scanner reads it. */
export async function readLabel(bytes: Uint8Array, hints = LINEAR) {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes);
    const page = document.getPage(0);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    // Rendering closes the page.
    const text = page.getText().replaceAll(/\s+/g, ' ').trim();
    const image = await page.render({ scale: SCALE, render: 'bitmap' });
    const read = {
      pages: document.getPageCount(),
      points: [originalWidth, originalHeight],
      text,
      ...scan(image, hints),
    };
    document.destroy();
    return read;
  } finally {
    library.destroy();
  }
}

/** Four bytes per dot, in the sequence blue, green, red. */
function scan(
  { width, height, data }: { width: number; height: number; data: Uint8Array },
  hints: Hints,
): { code: string; format: string } {
  const grey = new Uint8ClampedArray(width * height);
  for (let dot = 0; dot < grey.length; dot++) {
    const [blue = 0, green = 0, red = 0] = data.subarray(dot * 4, dot * 4 + 3);
    grey[dot] = Math.round((blue + green + red) / 3);
  }
  const reader = new MultiFormatReader();
  const source = new RGBLuminanceSource(grey, width, height);
  const result = reader.decode(new BinaryBitmap(new HybridBinarizer(source)), new Map(hints));
  return { code: result.getText(), format: BarcodeFormat[result.getBarcodeFormat()] ?? '' };
}
