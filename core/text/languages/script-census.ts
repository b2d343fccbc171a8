import { type ScriptName, scripts } from './table/scripts.ts'

/** For each UTF-16 unit, the index of its script plus 1; 0 if it is no letter of these scripts. */
const scriptOfUnit = new Uint8Array(0x10000)
scripts.forEach(({ ranges }, number) => {
  for (const [first, last] of ranges) scriptOfUnit.fill(number + 1, first, last + 1)
})
const KANA = scripts.findIndex(({ name }) => name === 'kana')
const HAN = scripts.findIndex(({ name }) => name === 'han')

/** Minimum share of Kana, among Kana and Han, in Japanese text. Chinese has almost none. */
const MIN_KANA_SHARE = 0.05

/** The most frequent script of a text. */
export interface MainScript {
  name: ScriptName
  /** The only language in this script, ISO 639-1. Undefined if several languages use it. */
  language?: string
  /** Number of letters of this script in the text. */
  letters: number
}

/** The number of letters of each script in the current text. */
const counts = new Uint32Array(scripts.length)

/** Returns the script with the most letters in a text; undefined without letters of a known script. */
export function mainScript(text: string): MainScript | undefined {
  counts.fill(0)
  for (let at = 0; at < text.length; at++) {
    const script = scriptOfUnit[text.charCodeAt(at)]!
    if (script > 0) counts[script - 1]!++
  }
  const cjk = counts[KANA]! + counts[HAN]!
  const [some, none] = counts[KANA]! > MIN_KANA_SHARE * cjk ? [KANA, HAN] : [HAN, KANA]
  counts[some] = cjk
  counts[none] = 0
  let most = 0
  for (let script = 1; script < counts.length; script++) if (counts[script]! > counts[most]!) most = script
  if (counts[most] === 0) return undefined
  const { name, language } = scripts[most]!
  return { name, letters: counts[most]!, language }
}

/** True for a Chinese character. */
export function isHan(codePoint: number): boolean {
  return codePoint < 0x10000 ? scriptOfUnit[codePoint] === HAN + 1 : codePoint >= 0x20000 && codePoint < 0x32000
}
