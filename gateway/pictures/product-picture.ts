import { readFile } from 'node:fs/promises';

/** Drawings of kinds of products, on a square of 240 units, in three colours. A drawing keeps to the upper 190 units. */
const FOLDER = new URL('../../fixtures/pictures/', import.meta.url);

type Tone = readonly [hue: number, saturation: number, lightness: number];

interface Kind {
  /** Name of the drawing. */
  readonly picture: string;
  /** Words of a name or a SKU. */
  readonly words: readonly string[];
  /** Natural colour, for a product whose name has none. */
  readonly tone?: Tone;
}

interface Index {
  /** The first kind with a word of the product is used: a desk lamp is a lamp, and a table radio a radio. The last kind is for all other products. */
  readonly kinds: readonly Kind[];
  /** Colours that a name or a SKU mentions. */
  readonly colours: Readonly<Record<string, Tone>>;
}

export interface Pictures extends Index {
  /** By name: the elements of the drawing. */
  readonly drawings: ReadonlyMap<string, string>;
}

/** Reads the drawings and their index. */
export async function readPictures(): Promise<Pictures> {
  const index = JSON.parse(await readFile(new URL('pictures.json', FOLDER), 'utf8')) as Index;
  const drawings = index.kinds.map(async ({ picture }) => {
    const svg = await readFile(new URL(`${picture}.svg`, FOLDER), 'utf8');
    return [picture, svg.replace(/^<svg [^>]*>/, '').replace(/<\/svg>\s*$/, '')] as const;
  });
  return { ...index, drawings: new Map(await Promise.all(drawings)) };
}

/** Constant, so that the policy of the answer can name its hash. Light and dark follow the page that shows the picture. */
export const PICTURE_STYLE =
  'text{fill:#33302c;font:500 15px system-ui,sans-serif}.ground{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ece8e1}.ground{fill:#26262a}}';

/** Draws a product as SVG, from its words alone. The same product gives the same picture. @param name shown below the drawing */
export function drawProduct({ kinds, colours, drawings }: Pictures, sku: string, name: string): string {
  const words = [...sku.split(/[^a-z0-9]+/i), ...name.split(/[^\p{Letter}\p{Number}]+/u)].map((word) => word.toLowerCase());
  const kind = kinds.find((one) => one.words.some((word) => words.includes(word))) ?? kinds.at(-1);
  const hue = hueOf(sku);
  const colour = words.find((word) => Object.hasOwn(colours, word));
  const paint = paintOf((colour === undefined ? undefined : colours[colour]) ?? kind?.tone ?? [hue, 42, 48]);
  const drawing = drawings.get(kind?.picture ?? '') ?? '';
  const shown = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" role="img" aria-label="${escaped(name)}">
<style>${PICTURE_STYLE}</style>
<rect class="ground" width="240" height="240"/>
<rect fill="hsl(${hue} 60% 55%)" fill-opacity=".16" width="240" height="240"/>
<ellipse fill="#000" fill-opacity=".12" cx="120" cy="185" rx="74" ry="7"/>
<g>${drawing.replaceAll(/var\(--(\w+)\)/g, (_, shade: keyof typeof paint) => paint[shade])}</g>
<text x="120" y="221" text-anchor="middle"${lengthOf(shown)}>${escaped(shown)}</text>
</svg>
`;
}

/** A hue from 0 to 359, by FNV-1a, so that similar SKUs differ. */
function hueOf(sku: string): number {
  let hash = 0x811c9dc5;
  for (const character of sku) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 8) % 360;
}

/** The three colours of a drawing. Few viewers of SVG have variables of CSS, so a picture names its colours. */
function paintOf([hue, saturation, lightness]: Tone) {
  const at = (shift: number): string => `hsl(${hue} ${saturation}% ${Math.min(95, Math.max(10, lightness + shift))}%)`;
  return { main: at(0), dark: at(-13), light: at(15) };
}

/** Characters that fit beside each other in the usual size, and squeezed. */
const FITTING = 27;
const LONGEST = 42;

/** Squeezes a long name into the width of the picture. */
const lengthOf = (name: string): string => (name.length > FITTING ? ' textLength="224" lengthAdjust="spacingAndGlyphs"' : '');

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML: characters that XML 1.0 does not permit become question marks. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML permits no control characters
    .replaceAll(/[\u0000-\u001f\u007f\ufffe\uffff]|\p{Surrogate}/gu, '?')
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
