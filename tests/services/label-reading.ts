import { PDFiumLibrary } from '@hyzyla/pdfium';
import { BarcodeFormat, BinaryBitmap, DecodeHintType, HybridBinarizer, MultiFormatReader, RGBLuminanceSource } from '@zxing/library';

/** Dots per point of a label printer with 203 dpi. */
const SCALE = 203 / 72;

/** Parcel scanners read one-dimensional codes. */
const LINEAR = [BarcodeFormat.CODE_128, BarcodeFormat.CODE_39, BarcodeFormat.ITF, BarcodeFormat.EAN_13];
const HINTS = new Map<DecodeHintType, unknown>([
  [DecodeHintType.TRY_HARDER, true],
  [DecodeHintType.POSSIBLE_FORMATS, LINEAR],
]);

/** A label as it is printed, and as a scanner reads it. */
export async function readLabel(bytes: Uint8Array) {
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
      ...scan(image),
    };
    document.destroy();
    return read;
  } finally {
    library.destroy();
  }
}

/** Four bytes per dot, in the sequence blue, green, red. */
function scan({ width, height, data }: { width: number; height: number; data: Uint8Array }): { code: string; format: string } {
  const grey = new Uint8ClampedArray(width * height);
  for (let dot = 0; dot < grey.length; dot++) {
    const [blue = 0, green = 0, red = 0] = data.subarray(dot * 4, dot * 4 + 3);
    grey[dot] = Math.round((blue + green + red) / 3);
  }
  const reader = new MultiFormatReader();
  const source = new RGBLuminanceSource(grey, width, height);
  const result = reader.decode(new BinaryBitmap(new HybridBinarizer(source)), HINTS);
  return { code: result.getText(), format: BarcodeFormat[result.getBarcodeFormat()] ?? '' };
}
