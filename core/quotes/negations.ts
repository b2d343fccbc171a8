import { foldWord } from '../text/characters/fold.ts'

/** Negations, folded, that have no other meaning in a language with the same letters. */
const EVERYWHERE = `not never without cannot none nobody nothing nowhere neither nor unable
  nicht kein keine keinen keinem keiner keines nie niemals ohne niemand nichts weder
  jamais aucun aucune ningun ninguna ninguno nunca tampoco nadie senza nessun nessuno nessuna niente
  nenhum nenhuma ninguem niet geen nooit zonder inte aldrig ikke aldri nikdy nigdy zaden zadna zadne
  не нет нельзя никогда без ні немає ніколи δεν χωρις ποτε degil لا ليس لم لن بدون לא אין בלי नहीं không tidak bukan tanpa 不 没 沒`

/** Negations of one language, folded, that have another meaning in other languages. */
const IN_LANGUAGE: Readonly<Record<string, string>> = {
  en: 'no non',
  de: 'nirgends nein',
  fr: 'pas sans non ni rien guere',
  es: 'no sin ni nada jamas',
  it: 'non no mai ne nulla neanche nemmeno',
  pt: 'nao sem nem nada jamais',
  nl: 'nee noch niets',
  sv: 'ej ingen inget inga utan',
  da: 'ej ingen intet uden',
  nb: 'ingen uten',
  no: 'ingen uten',
  pl: 'nie bez nikt nic',
  cs: 'ne neni bez nikdo nic',
  sk: 'nie bez nikto nic',
  fi: 'ei en et emme ette eivat ilman',
  ro: 'nu fara nici',
  ca: 'no sense mai cap',
  hu: 'nem nincs soha nelkul',
  tr: 'yok hic',
  ru: 'ни никто ничего',
  vi: 'chua dung chang',
  id: 'belum jangan',
}

const everywhere = new Set(EVERYWHERE.split(/\s+/).map(word => foldWord(word)))
const inLanguage = new Map(
  Object.entries(IN_LANGUAGE).map(([language, words]) => [
    language,
    new Set(words.split(' ').map(word => foldWord(word))),
  ]),
)

/**
 * True if a word denies what a sentence says.
 *
 * @param language - of the text, ISO 639-1. Unknown ones count as English.
 * @param following - the word behind it. Before a number, `no` is not a negation, but short for "number".
 */
export function isNegation(word: string, language: string, following: string = ''): boolean {
  const folded = foldWord(word)
  if (/^no$/.test(folded) && /^\d/.test(following)) return false
  if (/n't$/.test(word.toLowerCase()) || word === '!' || word === '¬') return true
  return everywhere.has(folded) || (inLanguage.get(language) ?? inLanguage.get('en')!).has(folded)
}

const ADJECTIVE_END = /(?:[ai]ble|al|ate|ent|ant|ive|ect|ar|ete|ure|ite|ous|ly)$/
const DENIABLE = /^(?:agree|approv|allow|connect|honest|satisf|similar|advantage|trust|continu|obey|qualif)/

/** True if one of two words denies the other by its prefix: `unsafe` and `safe`, `impossible` and `possible`. */
export function deniesByPrefix(one: string, other: string): boolean {
  const [short, long] = [one.toLowerCase(), other.toLowerCase()].sort((a, b) => a.length - b.length) as [string, string]
  const prefix = long.slice(0, long.length - short.length)
  if (short.length < 3 || !long.endsWith(short)) return false
  if (prefix === 'un' || prefix === 'non') return short.length >= 4
  if (prefix === 'dis') return DENIABLE.test(short)
  return ['in', 'im', 'il', 'ir'].includes(prefix) && short.length >= 5 && ADJECTIVE_END.test(short)
}
