import { download } from '../kit/download.ts';

/** Properties that decide how a shape of the map looks, and how they are written in SVG. */
const PAINT = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
] as const;

/** Pixels of the picture per unit of the map. */
const SCALE = 3;

/** The map as a file that needs no sheet: every shape has the colours that it has on the page. */
export function saveSvg(map: SVGSVGElement, name: string): void {
  download(`${name}.svg`, new Blob([`${new XMLSerializer().serializeToString(standalone(map))}\n`], { type: 'image/svg+xml' }));
}

function standalone(map: SVGSVGElement): SVGSVGElement {
  const copy = map.cloneNode(true) as SVGSVGElement;
  const shapes = copy.querySelectorAll('*');
  for (const [place, shape] of map.querySelectorAll('*').entries()) {
    const target = shapes[place];
    if (!target) continue;
    const style = getComputedStyle(shape);
    target.removeAttribute('class');
    if (target.tagName !== 'g') for (const name of PAINT) target.setAttribute(name, style.getPropertyValue(name));
  }
  const { x, y, width, height } = map.viewBox.baseVal;
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries({ x, y, width, height, fill: paperOf(map) })) paper.setAttribute(name, String(value));
  copy.prepend(paper);
  copy.removeAttribute('class');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return copy;
}

const paperOf = (map: SVGSVGElement): string => getComputedStyle(map).getPropertyValue('background-color');

/** The map as a picture. It is painted shape by shape, because the policy of the page permits no picture from memory. */
export async function savePng(map: SVGSVGElement, name: string): Promise<void> {
  const { x, y, width, height } = map.viewBox.baseVal;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round(height * SCALE);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser cannot draw the picture. Save the SVG instead.');
  context.fillStyle = paperOf(map);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(SCALE, 0, 0, SCALE, -x * SCALE, -y * SCALE);
  for (const shape of map.querySelectorAll<SVGGraphicsElement>('rect, path, text')) paint(context, shape);
  const content = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!content) throw new Error('This browser cannot make the picture. Save the SVG instead.');
  download(`${name}.png`, content);
}

function paint(context: CanvasRenderingContext2D, shape: SVGGraphicsElement): void {
  const style = getComputedStyle(shape);
  const numberOf = (name: string): number => Number(shape.getAttribute(name) ?? 0);
  if (shape.tagName === 'text') {
    context.fillStyle = style.fill;
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    context.textAlign = style.textAnchor === 'middle' ? 'center' : 'left';
    context.fillText(shape.textContent ?? '', numberOf('x'), numberOf('y'));
    return;
  }
  const path = new Path2D(shape.getAttribute('d') ?? undefined);
  if (shape.tagName === 'rect') path.roundRect(numberOf('x'), numberOf('y'), numberOf('width'), numberOf('height'), numberOf('rx'));
  if (style.fill !== 'none') {
    context.fillStyle = style.fill;
    context.fill(path);
  }
  if (style.stroke !== 'none') {
    context.strokeStyle = style.stroke;
    context.lineWidth = Number.parseFloat(style.strokeWidth);
    context.lineCap = style.strokeLinecap as CanvasLineCap;
    context.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[\s,]+/).map(Number.parseFloat));
    context.stroke(path);
  }
}
