/** Colours of a product, from its own colour or from its SKU. */
export interface Paint {
  readonly main: string;
  readonly dark: string;
  readonly light: string;
}

/** A kind of product with its drawing, on a square of 240 units. The drawing keeps to the upper 190. */
interface Drawing {
  /** Words of a name or a SKU. */
  readonly words: readonly string[];
  /** Natural colour, when the name has none: hue, saturation and lightness. */
  readonly tone?: readonly [hue: number, saturation: number, lightness: number];
  readonly draw: (paint: Paint) => string;
}

export const OAK = [34, 45, 55] as const;
const LEAF = [135, 38, 42] as const;
const METAL = [210, 8, 60] as const;

const bottle = ({ main, dark }: Paint): string => `
<path fill="${main}" d="M106 30h28v38c0 14 20 18 20 42v64c0 7-4 10-10 10h-48c-6 0-10-3-10-10v-64c0-24 20-28 20-42z"/>
<path fill="${dark}" d="M104 30h32v22h-32z"/>
<path fill="#f6f0e2" d="M86 118h68v42H86z"/>
<path fill="${dark}" d="M98 130h44v4H98zm8 12h28v4h-28z"/>`;

const book = ({ main, dark }: Paint): string => `
<path fill="#f6f0e2" d="M78 40h92v142H78z"/>
<path fill="${main}" d="M70 34h94c4 0 6 2 6 6v130H82c-8 0-12 4-12 8z"/>
<path fill="${dark}" d="M70 34h14v138c-8 0-14 4-14 10z"/>
<path fill="#fff" fill-opacity=".75" d="M100 66h52v8h-52zm0 18h36v6h-36z"/>`;

const lamp = ({ main, dark }: Paint): string => `
<path fill="${dark}" d="M116 60h8v110h-8z"/>
<path fill="#ffe9a8" fill-opacity=".7" d="M78 92h84l26 70H52z"/>
<path fill="${main}" d="M98 34h44l24 60H74z"/>
<path fill="${dark}" d="M116 94h8v76h-8z"/>
<rect fill="${dark}" x="82" y="168" width="76" height="14" rx="7"/>`;

const chair = ({ main, dark }: Paint): string => `
<path fill="${main}" d="M82 34h12v150H82zm64 0h12v150h-12z"/>
<path fill="${dark}" d="M94 44h52v12H94zm0 24h52v12H94z"/>
<rect fill="${main}" x="72" y="108" width="96" height="16" rx="6"/>
<path fill="${dark}" d="M72 124h12v60H72zm84 0h12v60h-12zM84 150h72v8H84z"/>`;

/** The first drawing with a word of the product is used: a desk lamp is a lamp, and a table radio a radio. */
export const DRAWINGS: readonly Drawing[] = [
  {
    words: ['mug', 'cup', 'tumbler'],
    draw: ({ main, dark, light }) => `
<path fill="none" stroke="${dark}" stroke-width="14" d="M152 84h14c30 0 30 62 0 62h-14"/>
<path fill="${main}" d="M64 62h92v92c0 17-11 28-28 28H92c-17 0-28-11-28-28z"/>
<ellipse fill="${dark}" cx="110" cy="62" rx="46" ry="12"/>
<path fill="${light}" d="M76 86h10v66H76z"/>
<path fill="none" stroke="${light}" stroke-width="5" stroke-linecap="round" d="M94 40c-8-9 8-13 0-22m32 22c-8-9 8-13 0-22"/>`,
  },
  {
    words: ['bowl'],
    draw: ({ main, dark, light }) => `
<path fill="${main}" d="M44 96h152c0 46-30 78-62 82h-28c-32-4-62-36-62-82z"/>
<ellipse fill="${dark}" cx="120" cy="96" rx="76" ry="20"/>
<ellipse fill="${light}" cx="120" cy="101" rx="60" ry="12"/>
<rect fill="${dark}" x="94" y="174" width="52" height="10" rx="4"/>`,
  },
  {
    words: ['plate', 'dish'],
    draw: ({ main, dark, light }) => `
<circle fill="${main}" cx="120" cy="106" r="78"/>
<circle fill="${dark}" fill-opacity=".5" cx="120" cy="106" r="56"/>
<circle fill="${light}" cx="120" cy="106" r="52"/>`,
  },
  {
    words: ['teapot', 'kettle'],
    draw: ({ main, dark, light }) => `
<path fill="none" stroke="${dark}" stroke-width="13" d="M76 84c-42-6-42 66 2 68"/>
<path fill="${dark}" d="M160 128c20-6 18-44 44-50l4 10c-16 8-16 56-46 62z"/>
<ellipse fill="${main}" cx="120" cy="126" rx="58" ry="54"/>
<path fill="${dark}" d="M84 82c6-18 66-18 72 0z"/>
<circle fill="${dark}" cx="120" cy="60" r="9"/>
<path fill="none" stroke="${light}" stroke-width="7" stroke-linecap="round" d="M80 112c4-12 12-18 20-20"/>
<rect fill="${dark}" x="90" y="174" width="60" height="9" rx="4"/>`,
  },
  {
    words: ['vase'],
    draw: ({ main, dark, light }) => `
<path fill="none" stroke="#5c8a5a" stroke-width="5" d="M120 70c0-20-4-28-14-38m14 38c2-18 8-26 20-32"/>
<circle fill="#e5989b" cx="104" cy="30" r="12"/><circle fill="#f2c078" cx="142" cy="36" r="11"/>
<path fill="${main}" d="M104 66h32c-4 26 26 44 26 76 0 28-18 42-42 42s-42-14-42-42c0-32 30-50 26-76z"/>
<ellipse fill="${dark}" cx="120" cy="66" rx="17" ry="6"/>
<path fill="${light}" d="M92 132c2-12 8-20 14-28l6 5c-6 8-10 14-10 24 0 12 4 20 10 26l-6 5c-10-9-15-20-14-32z"/>`,
  },
  {
    words: ['lantern'],
    draw: ({ main, dark }) => `
<path fill="none" stroke="${dark}" stroke-width="7" d="M96 54c0-34 48-34 48 0"/>
<path fill="${main}" d="M120 42l44 30H76zM76 168h88v14H76z"/>
<path fill="#ffe9a8" fill-opacity=".75" d="M86 72h68v96H86z"/>
<path fill="${dark}" d="M80 72h8v96h-8zm72 0h8v96h-8zm-35 0h6v22h-6z"/>
<rect fill="#f6f0e2" x="106" y="128" width="28" height="40"/>
<path fill="#f59e3f" d="M120 98c12 14 10 28 0 30-10-2-12-16 0-30z"/>`,
  },
  {
    words: ['bulb'],
    tone: [46, 85, 66],
    draw: ({ main, dark, light }) => `
<path fill="${main}" d="M120 28c40 0 60 30 56 60-3 24-26 34-28 58H92c-2-24-25-34-28-58-4-30 16-60 56-60z"/>
<path fill="none" stroke="${dark}" stroke-width="5" d="M106 144V104l14 12 14-12v40"/>
<path fill="none" stroke="${light}" stroke-width="8" stroke-linecap="round" d="M84 84c0-18 10-30 24-34"/>
<path fill="#8b929a" d="M94 148h52v10H94zm4 14h44v10H98zm12 14h20l-4 10h-12z"/>`,
  },
  { words: ['lamp', 'light'], tone: [42, 60, 50], draw: lamp },
  {
    words: ['desk'],
    tone: OAK,
    draw: ({ main, dark, light }) => `
<rect fill="${main}" x="36" y="82" width="168" height="15" rx="3"/>
<path fill="${dark}" d="M44 97h12v86H44zm140 0h12v86h-12z"/>
<path fill="${main}" d="M124 97h60v44h-60z"/>
<path fill="${light}" d="M130 103h48v14h-48zm0 18h48v14h-48z"/>
<path fill="${dark}" d="M148 108h12v4h-12zm0 18h12v4h-12z"/>
<path fill="#5b6b7a" d="M66 48h48v30H66zm20 30h8v4h-8z"/>`,
  },
  {
    words: ['rocking'],
    tone: OAK,
    draw: (paint) => `${chair(paint)}
<path fill="none" stroke="${paint.dark}" stroke-width="9" stroke-linecap="round" d="M50 172c36 22 104 22 140 0"/>`,
  },
  { words: ['chair', 'stool'], tone: OAK, draw: chair },
  {
    words: ['shelf', 'bookcase'],
    tone: OAK,
    draw: ({ main, dark }) => `
<rect fill="${main}" x="36" y="140" width="168" height="14" rx="3"/>
<path fill="${dark}" d="M60 154h12v18c0 6-12 6-12 0zm108 0h12v18c0 6-12 6-12 0z"/>
<path fill="#b56576" d="M54 80h16v60H54z"/><path fill="#577590" d="M72 70h18v70H72z"/><path fill="#e9c46a" d="M92 86h14v54H92z"/>
<path fill="#8a5a44" d="M144 112h38l-6 28h-26z"/><path fill="#5c8a5a" d="M163 112c-26-14-24-36-14-48 6 10 12 22 14 30 4-14 10-24 22-28 8 18-4 38-22 46z"/>`,
  },
  {
    words: ['radio'],
    tone: [24, 42, 36],
    draw: ({ main, dark, light }) => `
<path stroke="#8b929a" stroke-width="5" stroke-linecap="round" d="M166 74l30-46"/>
<rect fill="${main}" x="38" y="72" width="164" height="100" rx="16"/>
<circle fill="${dark}" cx="90" cy="122" r="36"/><circle fill="${light}" cx="90" cy="122" r="25"/><circle fill="${dark}" cx="90" cy="122" r="9"/>
<rect fill="#f6f0e2" x="138" y="92" width="50" height="24" rx="4"/><path stroke="#d1495b" stroke-width="3" d="M170 92v24"/>
<circle fill="${light}" cx="150" cy="142" r="11"/><circle fill="${light}" cx="178" cy="142" r="11"/>
<path fill="${dark}" d="M58 172h16v12H58zm108 0h16v12h-16z"/>`,
  },
  {
    words: ['table'],
    tone: [24, 38, 38],
    draw: ({ main, dark, light }) => `
<path fill="${dark}" d="M84 94l-18 90h10l26-90zm72 0l18 90h-10l-26-90zm-40 0h8v78h-8z"/>
<ellipse fill="${dark}" cx="120" cy="90" rx="74" ry="19"/>
<ellipse fill="${main}" cx="120" cy="83" rx="74" ry="19"/>
<ellipse fill="${light}" fill-opacity=".5" cx="108" cy="79" rx="42" ry="8"/>`,
  },
  {
    words: ['blanket', 'towel', 'throw'],
    draw: ({ main, dark, light }) => `
<rect fill="${dark}" x="52" y="132" width="136" height="42" rx="20"/>
<rect fill="${main}" x="52" y="94" width="136" height="46" rx="20"/>
<rect fill="${light}" x="52" y="56" width="136" height="46" rx="20"/>
<path fill="${dark}" d="M76 56h8v46h-8zm16 0h4v46h-4z"/><path fill="${light}" d="M76 98h8v40h-8zm0 42h8v32h-8z"/>
<path stroke="${dark}" stroke-width="4" d="M62 174v12m14-12v12m14-12v12m14-12v12m14-12v12m14-12v12m14-12v12m14-12v12"/>`,
  },
  {
    words: ['cushion', 'pillow'],
    draw: ({ main, dark, light }) => `
<path fill="${main}" d="M52 40c42 12 94 12 136 0-12 46-12 90 0 136-42-12-94-12-136 0 12-46 12-90 0-136z"/>
<path fill="none" stroke="${dark}" stroke-width="4" stroke-dasharray="8 6" d="M70 58c34 8 66 8 100 0-8 34-8 66 0 100-34-8-66-8-100 0 8-34 8-66 0-100z"/>
<circle fill="${light}" cx="120" cy="108" r="8"/>`,
  },
  {
    words: ['scarf', 'shawl'],
    draw: ({ main, dark, light }) => `
<path fill="${dark}" d="M132 84l38 90-26 10-38-86z"/>
<path fill="${main}" d="M112 84l-6 100H76l8-104z"/>
<path fill="${main}" d="M66 62c10-32 98-32 108 0 4 26-18 42-54 42S62 88 66 62z"/>
<path fill="${dark}" d="M84 66c10-16 62-16 72 0-10 14-62 14-72 0z"/>
<path fill="${light}" d="M79 150h29v8H78zm-1 14h29v6H77z"/>
<path stroke="${main}" stroke-width="4" d="M80 184v8m9-8v8m9-8v8"/>`,
  },
  {
    words: ['rug', 'runner', 'carpet'],
    draw: ({ main, dark, light }) => `
<path fill="${dark}" d="M66 44h108l26 132H40z"/>
<path fill="${main}" d="M72 52h96l22 116H50z"/>
<path fill="${light}" d="M86 66h68l14 88H72z"/>
<path fill="${dark}" d="M120 78l22 32-22 32-22-32z"/><path fill="${main}" d="M120 94l12 16-12 16-12-16z"/>`,
  },
  {
    words: ['wine'],
    tone: [350, 45, 30],
    draw: (paint) => `<g transform="translate(-26)">${bottle(paint)}</g>
<path fill="${paint.main}" d="M154 108h44c0 24-6 36-22 38-16-2-22-14-22-38z"/>
<path fill="none" stroke="#9aa4ad" stroke-width="4" d="M152 92c-2 40 8 54 24 54s26-14 24-54zm24 54v34m-18 2h36"/>`,
  },
  { words: ['oil', 'vinegar', 'bottle', 'beer'], tone: [62, 50, 38], draw: bottle },
  {
    words: ['coffee', 'tea', 'beans'],
    tone: [24, 42, 34],
    draw: ({ main, dark, light }) => `
<path fill="${main}" d="M76 44h88l8 130c0 6-4 10-10 10H78c-6 0-10-4-10-10z"/>
<path fill="${dark}" d="M72 30h96v22H72z"/>
<circle fill="#f6f0e2" cx="120" cy="118" r="34"/>
<ellipse fill="${main}" cx="120" cy="118" rx="15" ry="22" transform="rotate(28 120 118)"/>
<path fill="none" stroke="${light}" stroke-width="4" d="M110 136c16-10 4-22 20-36"/>`,
  },
  {
    words: ['chocolate', 'cocoa'],
    tone: [20, 48, 28],
    draw: ({ main, dark, light }) => `
<rect fill="${main}" x="68" y="28" width="104" height="96" rx="6"/>
<path fill="${light}" d="M76 36h26v22H76zm31 0h26v22h-26zm31 0h26v22h-26zM76 63h26v22H76zm31 0h26v22h-26zm31 0h26v22h-26z"/>
<path fill="#e8dcc4" d="M62 96l10-6 10 6 10-6 10 6 10-6 10 6 10-6 10 6 10-6 10 6 10-6 6 4v90H62z"/>
<path fill="${dark}" d="M62 118h116v36H62z"/><path fill="#e8c87a" d="M84 130h72v5H84zm14 10h44v4H98z"/>`,
  },
  {
    words: ['marmalade', 'jam', 'honey', 'jar'],
    tone: [28, 85, 52],
    draw: ({ main, dark, light }) => `
<rect fill="#c9b68c" x="80" y="36" width="80" height="24" rx="5"/>
<path fill="${main}" d="M84 62h72c16 6 20 16 20 30v72c0 12-6 20-18 20H82c-12 0-18-8-18-20V92c0-14 4-24 20-30z"/>
<path fill="${light}" d="M74 92h8v66h-8z"/>
<rect fill="#f6f0e2" x="86" y="104" width="68" height="50" rx="4"/>
<circle fill="${main}" cx="120" cy="129" r="16"/><path stroke="${dark}" stroke-width="3" d="M120 115v28m-12-21l24 14m0-14l-24 14"/>`,
  },
  {
    words: ['salt', 'pepper', 'spice'],
    tone: [205, 24, 72],
    draw: ({ main, dark, light }) => `
<path fill="#9aa4ad" d="M88 66c0-42 64-42 64 0z"/><path fill="#5b6b7a" d="M104 44h6v6h-6zm14-6h6v6h-6zm14 6h6v6h-6z"/>
<path fill="${main}" d="M84 66h72l12 108c0 6-4 10-10 10H82c-6 0-10-4-10-10z"/>
<path fill="#fff" d="M80 112h80l7 60c0 4-2 6-6 6H79c-4 0-6-2-6-6z"/>
<path fill="${dark}" d="M98 132h44v6H98zm8 14h28v5h-28z"/><path fill="${light}" d="M94 74h8l-3 32h-8z"/>`,
  },
  {
    words: ['cheddar', 'cheese', 'gouda', 'brie'],
    tone: [42, 85, 58],
    draw: ({ main, dark, light }) => `
<path fill="${light}" d="M38 106L168 48c24 10 34 30 34 58z"/>
<path fill="${main}" d="M38 106h164v62c0 6-4 10-10 10H48c-6 0-10-4-10-10z"/>
<circle fill="${dark}" cx="76" cy="142" r="12"/><circle fill="${dark}" cx="118" cy="124" r="8"/><circle fill="${dark}" cx="158" cy="148" r="15"/>
<ellipse fill="${main}" cx="144" cy="84" rx="15" ry="7"/>`,
  },
  {
    words: ['pot', 'planter'],
    tone: [17, 52, 52],
    draw: ({ main, dark, light }) => `
<path fill="${main}" d="M70 84h100l-14 92c-1 5-4 8-9 8H93c-5 0-8-3-9-8z"/>
<rect fill="${dark}" x="60" y="58" width="120" height="32" rx="5"/>
<path fill="${light}" d="M88 98h9l8 70h-9z"/>`,
  },
  {
    words: ['watering', 'can'],
    draw: ({ main, dark, light }) => `
<path fill="none" stroke="${dark}" stroke-width="11" d="M104 76c6-46 88-30 76 44-2 14-8 22-16 28"/>
<path fill="${dark}" d="M92 144L44 76l9-6 52 56z"/><path fill="${dark}" d="M30 78l34-24 6 10-36 24z"/>
<path fill="${main}" d="M88 82h76l8 92c0 6-4 10-10 10H90c-6 0-10-4-10-10z"/>
<ellipse fill="${dark}" cx="126" cy="82" rx="38" ry="10"/><path fill="${light}" d="M98 102h9l-3 70h-9z"/>`,
  },
  {
    words: ['secateurs', 'scissors', 'shears'],
    tone: [4, 62, 50],
    draw: ({ main, dark }) => `
<path fill="#a9b3bc" d="M112 100C92 76 92 46 108 26c16 16 26 46 20 72z"/><path fill="#7b8791" d="M126 100c18-14 24-38 16-58-14 6-26 30-24 56z"/>
<path fill="none" stroke="${main}" stroke-width="17" stroke-linecap="round" d="M114 112c-22 20-32 38-34 66"/>
<path fill="none" stroke="${dark}" stroke-width="17" stroke-linecap="round" d="M126 112c22 20 32 38 34 66"/>
<circle fill="#5b6b7a" cx="120" cy="104" r="11"/>`,
  },
  {
    words: ['seeds', 'seed'],
    tone: LEAF,
    draw: ({ main, dark, light }) => `
<path fill="${light}" d="M68 30h104v154H68z"/><path fill="${dark}" d="M68 30h104v24H68z"/>
<path stroke="${dark}" stroke-width="5" d="M120 160v-44m-26 44v-28m52 28v-34"/>
<g fill="#e5989b"><circle cx="120" cy="92" r="10"/><circle cx="108" cy="104" r="10"/><circle cx="132" cy="104" r="10"/><circle cx="120" cy="114" r="10"/></g>
<circle fill="#f2c078" cx="120" cy="103" r="8"/><circle fill="#577590" cx="94" cy="126" r="11"/><circle fill="#e9c46a" cx="146" cy="122" r="12"/>
<path fill="${main}" d="M68 160h104v24H68z"/>`,
  },
  {
    words: ['fern', 'plant', 'flower'],
    tone: LEAF,
    draw: ({ main, dark, light }) => `
<path fill="none" stroke="${dark}" stroke-width="12" stroke-linecap="round" d="M120 132C116 84 92 58 60 58m60 74c4-48 28-74 60-74"/>
<path fill="none" stroke="${main}" stroke-width="13" stroke-linecap="round" d="M120 132C108 104 78 92 50 104m70 28c12-28 42-40 70-28"/>
<path fill="none" stroke="${light}" stroke-width="13" stroke-linecap="round" d="M120 132c-10-40-8-72-20-96m20 96c8-40 6-76 24-98"/>
<path fill="#b86b4b" d="M84 132h72l-10 46c-1 4-4 6-8 6h-36c-4 0-7-2-8-6z"/><rect fill="#9b553a" x="78" y="122" width="84" height="18" rx="4"/>`,
  },
  {
    words: ['speaker'],
    tone: [220, 8, 32],
    draw: ({ main, dark, light }) => `
<rect fill="${main}" x="72" y="28" width="96" height="156" rx="12"/>
<circle fill="${dark}" cx="120" cy="66" r="19"/><circle fill="${light}" cx="120" cy="66" r="8"/>
<circle fill="${dark}" cx="120" cy="130" r="37"/><circle fill="${light}" fill-opacity=".6" cx="120" cy="130" r="25"/><circle fill="${dark}" cx="120" cy="130" r="11"/>`,
  },
  {
    words: ['headphones', 'headset', 'earphones'],
    tone: [220, 8, 32],
    draw: ({ main, dark, light }) => `
<path fill="none" stroke="${main}" stroke-width="14" d="M56 126c-8-112 136-112 128 0"/>
<rect fill="${dark}" x="44" y="112" width="34" height="66" rx="15"/><rect fill="${dark}" x="162" y="112" width="34" height="66" rx="15"/>
<rect fill="${light}" x="70" y="118" width="14" height="54" rx="7"/><rect fill="${light}" x="156" y="118" width="14" height="54" rx="7"/>`,
  },
  {
    words: ['notebook', 'journal'],
    draw: (paint) => `${book(paint)}
<path fill="#f2c078" d="M150 34h9v136h-9z"/>`,
  },
  {
    words: ['pen', 'pencil'],
    tone: [42, 60, 48],
    draw: ({ main, dark, light }) => `
<g transform="rotate(40 120 106)"><rect fill="${main}" x="106" y="24" width="28" height="122" rx="6"/><path fill="${dark}" d="M106 62h28v10h-28z"/>
<path fill="${light}" d="M112 76h6v66h-6z"/><path fill="${dark}" d="M106 146h28l-11 34h-6z"/><path fill="#333" d="M116 176h8l-4 14z"/><rect fill="${dark}" x="132" y="30" width="7" height="50" rx="3"/></g>`,
  },
  { words: ['cookbook', 'book', 'cooking', 'almanac', 'novel'], draw: book },
  {
    words: ['calendar', 'planner'],
    draw: ({ main, dark, light }) => `
<rect fill="#f6f0e2" x="58" y="44" width="124" height="138" rx="8"/>
<path fill="${main}" d="M58 78V52c0-5 3-8 8-8h108c5 0 8 3 8 8v26z"/>
<path fill="none" stroke="${dark}" stroke-width="7" stroke-linecap="round" d="M88 34v20m64-20v20"/>
<g fill="${light}"><path d="M72 92h20v18H72zm27 0h20v18H99zm27 0h20v18h-20zm27 0h16v18h-16zM72 118h20v18H72zm54 0h20v18h-20zm27 0h16v18h-16zM72 144h20v18H72zm27 0h20v18H99zm27 0h20v18h-20z"/></g>
<path fill="${dark}" d="M99 118h20v18H99z"/>`,
  },
  {
    words: ['shirt', 'sweater', 'jumper'],
    draw: ({ main, dark, light }) => `
<path fill="${main}" d="M90 40h60l52 34-20 34-20-12v88H78V96l-20 12-20-34z"/><path fill="${dark}" d="M96 40h48c-4 24-44 24-48 0z"/><path fill="${light}" d="M86 110h7v66h-7z"/>`,
  },
];

/** A parcel, for a product of no known kind. */
export const PARCEL: Drawing = {
  words: [],
  tone: METAL,
  draw: ({ main, dark, light }) => `
<path fill="${main}" d="M44 78l76 30v78l-76-30z"/><path fill="${dark}" d="M196 78l-76 30v78l76-30z"/><path fill="${light}" d="M44 78l76-30 76 30-76 30z"/>
<path fill="#f6f0e2" fill-opacity=".8" d="M74 66l76 30v26l18-7V89L92 59z"/>`,
};
