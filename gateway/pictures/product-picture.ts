import { DRAWINGS, OAK, PARCEL, type Paint } from './drawings.ts';

type Tone = readonly [hue: number, saturation: number, lightness: number];

/** Colours that a name or a SKU mentions. */
const COLOURS: Readonly<Record<string, Tone>> = {
  blue: [212, 52, 48],
  navy: [222, 48, 32],
  green: [150, 36, 38],
  red: [352, 52, 38],
  rust: [15, 56, 45],
  orange: [28, 82, 54],
  yellow: [46, 80, 58],
  pink: [345, 55, 70],
  grey: [212, 7, 58],
  gray: [212, 7, 58],
  stone: [30, 8, 58],
  white: [40, 22, 88],
  black: [220, 8, 24],
  brass: [42, 58, 50],
  oak: OAK,
  walnut: [24, 38, 36],
  terracotta: [17, 52, 52],
};

/** Constant, so that the policy of the answer can name its hash. Light and dark follow the page that shows the picture. */
export const PICTURE_STYLE =
  'text{fill:#33302c;font:500 15px system-ui,sans-serif}.ground{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ece8e1}.ground{fill:#26262a}}';

/** Draws a product as SVG, from its words alone. The same product gives the same picture. @param name shown below the drawing */
export function drawProduct(sku: string, name: string): string {
  const words = [...sku.split(/[^a-z0-9]+/i), ...name.split(/[^\p{Letter}\p{Number}]+/u)].map((word) => word.toLowerCase());
  const drawing = DRAWINGS.find((one) => one.words.some((word) => words.includes(word))) ?? PARCEL;
  const hue = hueOf(sku);
  const colour = words.find((word) => Object.hasOwn(COLOURS, word));
  const paint = paintOf((colour === undefined ? undefined : COLOURS[colour]) ?? drawing.tone ?? [hue, 42, 48]);
  const shown = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" role="img" aria-label="${escaped(name)}">
<style>${PICTURE_STYLE}</style>
<rect class="ground" width="240" height="240"/>
<rect fill="hsl(${hue} 60% 55%)" fill-opacity=".16" width="240" height="240"/>
<ellipse fill="#000" fill-opacity=".12" cx="120" cy="185" rx="74" ry="7"/>
<g>${drawing.draw(paint)}
</g>
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

const paintOf = ([hue, saturation, lightness]: Tone): Paint => {
  const at = (shift: number): string => `hsl(${hue} ${saturation}% ${Math.min(95, Math.max(10, lightness + shift))}%)`;
  return { main: at(0), dark: at(-13), light: at(15) };
};

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
