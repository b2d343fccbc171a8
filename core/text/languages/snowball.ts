import { bytesOfPackage, moduleOfPackage } from './package-module.ts'

/**
 * The release of Snowball that the stemmers are compiled from. Another release may give other terms, so it is part of
 * the analyzer's identity.
 */
export const SNOWBALL_VERSION = '3.1.1'

interface SnowballModule {
  initSync(module: { module: Uint8Array }): unknown
  Languages: Readonly<Record<string, number>>
  Stemmer: new (language: number) => { stem(word: string): string }
}

/** Snowball's names for languages, by ISO 639-1 code. English is missing, because its stemmer is in `porter2.ts`. */
const names: ReadonlyMap<string, string> = new Map([
  ['ar', 'Arabic'],
  ['ca', 'Catalan'],
  ['cs', 'Czech'],
  ['da', 'Danish'],
  ['de', 'German'],
  ['el', 'Greek'],
  ['eo', 'Esperanto'],
  ['es', 'Spanish'],
  ['et', 'Estonian'],
  ['eu', 'Basque'],
  ['fa', 'Persian'],
  ['fi', 'Finnish'],
  ['fr', 'French'],
  ['ga', 'Irish'],
  ['hi', 'Hindi'],
  ['hu', 'Hungarian'],
  ['hy', 'Armenian'],
  ['id', 'Indonesian'],
  ['it', 'Italian'],
  ['lt', 'Lithuanian'],
  ['ne', 'Nepali'],
  ['nl', 'Dutch'],
  ['no', 'Norwegian'],
  ['pl', 'Polish'],
  ['pt', 'Portuguese'],
  ['ro', 'Romanian'],
  ['ru', 'Russian'],
  ['sr', 'Serbian'],
  ['st', 'Sesotho'],
  ['sv', 'Swedish'],
  ['ta', 'Tamil'],
  ['tr', 'Turkish'],
  ['yi', 'Yiddish'],
])

/** ISO 639-1 codes of the languages that {@link snowballStem} supports. */
export const snowballLanguages: ReadonlySet<string> = new Set(names.keys())

let module: SnowballModule | undefined
const stemmers = new Map<string, { stem(word: string): string }>()

/**
 * Returns the stem of a word by the Snowball algorithm of its language.
 *
 * @param language - one of {@link snowballLanguages}.
 * @param word - in lower case and NFC, with diacritics.
 */
export function snowballStem(language: string, word: string): string {
  let stemmer = stemmers.get(language)
  if (!stemmer) {
    const name = names.get(language)
    if (name === undefined) throw new TypeError(`no stemmer for the language ${language}`)
    module ??= loadSnowball()
    stemmer = new module.Stemmer(module.Languages[name]!)
    stemmers.set(language, stemmer)
  }
  return stemmer.stem(word)
}

function loadSnowball(): SnowballModule {
  const snowball = moduleOfPackage<SnowballModule>('multilingual-stemmer', 'dist/browser/index.js')
  snowball.initSync({ module: bytesOfPackage('multilingual-stemmer', 'dist/browser/index_bg.wasm') })
  return snowball
}
