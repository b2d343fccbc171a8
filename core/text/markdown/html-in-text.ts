import { isSurrogate } from '@asof/extract/characters'
/** What a tag does to the text before and after it: joins it, separates words, or ends a block. */
export type TagEffect = 'joins' | 'gaps' | 'breaks'

const effects = new Map<string, TagEffect>()
for (const [effect, names] of [
  [
    'joins',
    'abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr',
  ],
  [
    'gaps',
    'a acronym area audio base button canvas data datalist embed iframe img input label link map meta meter nobr noscript object optgroup option output param picture progress rp rt ruby script select source style svg template textarea time title track video',
  ],
  [
    'breaks',
    'address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul',
  ],
] as const)
  for (const name of names.split(' ')) effects.set(name, effect)

/**
 * Returns the effect of a tag on the text around it. Undefined if HTML has no such element, so that `Map<String>` stays
 * text.
 */
export function tagEffect(name: string): TagEffect | undefined {
  return name.length <= 10 ? effects.get(name.toLowerCase()) : undefined
}

/** The supported named character references. */
const named: Record<string, number> = {
  amp: 0x26,
  apos: 0x27,
  bull: 0x2022,
  copy: 0xa9,
  deg: 0xb0,
  emsp: 0x2003,
  ensp: 0x2002,
  euro: 0x20ac,
  gt: 0x3e,
  hellip: 0x2026,
  laquo: 0xab,
  ldquo: 0x201c,
  lsquo: 0x2018,
  lt: 0x3c,
  mdash: 0x2014,
  middot: 0xb7,
  minus: 0x2212,
  nbsp: 0xa0,
  ndash: 0x2013,
  pound: 0xa3,
  quot: 0x22,
  raquo: 0xbb,
  rdquo: 0x201d,
  reg: 0xae,
  rsquo: 0x2019,
  sect: 0xa7,
  shy: 0xad,
  thinsp: 0x2009,
  times: 0xd7,
  trade: 0x2122,
  zwj: 0x200d,
  zwnj: 0x200c,
}
const entities = new Map(Object.entries(named))

/** Length of the longest supported reference, without the semicolon. */
const MAX_ENTITY_UNITS = 10

/**
 * Reads the character reference whose `&` is at `at`: one of the common names, or a decimal or hexadecimal number.
 *
 * @returns the code point and the offset after `;`; undefined if there is no such reference.
 */
export function readEntity(text: string, at: number): { codePoint: number; end: number } | undefined {
  let end = at + 1
  while (end < at + MAX_ENTITY_UNITS && isEntityUnit(text.charCodeAt(end))) end++
  if (text[end] !== ';') return undefined
  const name = text.slice(at + 1, end)
  const codePoint = name.startsWith('#') ? readNumber(name.slice(1)) : entities.get(name)
  return codePoint === undefined ? undefined : { codePoint, end: end + 1 }
}

function isEntityUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x23
  )
}

function readNumber(digits: string): number | undefined {
  const hexadecimal = digits.startsWith('x') || digits.startsWith('X')
  const valid = hexadecimal ? /^[xX][0-9a-fA-F]{1,6}$/ : /^[0-9]{1,7}$/
  if (!valid.test(digits)) return undefined
  const codePoint = hexadecimal ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  // A number that is no character becomes U+FFFD (HTML 13.2.5.80).
  const broken = codePoint < 9 || codePoint > 0x10ffff || isSurrogate(codePoint)
  return broken ? 0xfffd : codePoint
}
