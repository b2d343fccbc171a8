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

let module: SnowballModule | undefined

/**
 * Returns the Snowball stemmer of a language. It is loaded with the first word.
 *
 * @param name - Snowball's name for the language.
 * @returns a function that returns the stem of a word in lower case and NFC, with diacritics.
 */
export function snowball(name: string): (word: string) => string {
  let stemmer: { stem(word: string): string } | undefined
  return word => {
    if (!stemmer) {
      module ??= loadSnowball()
      stemmer = new module.Stemmer(module.Languages[name]!)
    }
    return stemmer.stem(word)
  }
}

function loadSnowball(): SnowballModule {
  const loaded = moduleOfPackage<SnowballModule>('multilingual-stemmer', 'dist/browser/index.js')
  loaded.initSync({ module: bytesOfPackage('multilingual-stemmer', 'dist/browser/index_bg.wasm') })
  return loaded
}
