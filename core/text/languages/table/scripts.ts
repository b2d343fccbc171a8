/**
 * Scripts, with the ranges of their letters below U+10000. A script with a `language` is used for that language alone
 * on the web. The others are shared by several languages.
 */
const table = [
  {
    name: 'latin',
    ranges: [
      [0x41, 0x5a],
      [0x61, 0x7a],
      [0xc0, 0x24f],
      [0x1e00, 0x1eff],
    ],
  },
  { name: 'cyrillic', ranges: [[0x400, 0x52f]] },
  {
    name: 'arabic',
    ranges: [
      [0x620, 0x6d3],
      [0x750, 0x77f],
      [0xfb50, 0xfdff],
      [0xfe70, 0xfefc],
    ],
  },
  { name: 'devanagari', ranges: [[0x900, 0x97f]] },
  {
    name: 'greek',
    language: 'el',
    ranges: [
      [0x370, 0x3ff],
      [0x1f00, 0x1fff],
    ],
  },
  { name: 'armenian', language: 'hy', ranges: [[0x530, 0x58f]] },
  { name: 'hebrew', language: 'he', ranges: [[0x5d0, 0x5f2]] },
  { name: 'bengali', language: 'bn', ranges: [[0x980, 0x9ff]] },
  { name: 'gurmukhi', language: 'pa', ranges: [[0xa00, 0xa7f]] },
  { name: 'gujarati', language: 'gu', ranges: [[0xa80, 0xaff]] },
  { name: 'oriya', language: 'or', ranges: [[0xb00, 0xb7f]] },
  { name: 'tamil', language: 'ta', ranges: [[0xb80, 0xbff]] },
  { name: 'telugu', language: 'te', ranges: [[0xc00, 0xc7f]] },
  { name: 'kannada', language: 'kn', ranges: [[0xc80, 0xcff]] },
  { name: 'malayalam', language: 'ml', ranges: [[0xd00, 0xd7f]] },
  { name: 'sinhala', language: 'si', ranges: [[0xd80, 0xdff]] },
  { name: 'thai', language: 'th', ranges: [[0xe00, 0xe7f]] },
  { name: 'lao', language: 'lo', ranges: [[0xe80, 0xeff]] },
  { name: 'myanmar', language: 'my', ranges: [[0x1000, 0x109f]] },
  { name: 'georgian', language: 'ka', ranges: [[0x10a0, 0x10ff]] },
  { name: 'ethiopic', language: 'am', ranges: [[0x1200, 0x137f]] },
  { name: 'khmer', language: 'km', ranges: [[0x1780, 0x17ff]] },
  {
    name: 'hangul',
    language: 'ko',
    ranges: [
      [0x1100, 0x11ff],
      [0xac00, 0xd7a3],
    ],
  },
  { name: 'kana', language: 'ja', ranges: [[0x3041, 0x30ff]] },
  {
    name: 'han',
    language: 'zh',
    ranges: [
      [0x3400, 0x4dbf],
      [0x4e00, 0x9fff],
      [0xf900, 0xfaff],
    ],
  },
] as const satisfies readonly Script<string>[]

interface Script<Name> {
  name: Name
  language?: string
  ranges: readonly (readonly [number, number])[]
}

/** The name of a script. */
export type ScriptName = (typeof table)[number]['name']

export const scripts: readonly Script<ScriptName>[] = table
