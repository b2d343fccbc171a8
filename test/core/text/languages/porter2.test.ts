import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayStem, porter2 } from '../../../../core/text/languages/porter2.ts'

const require = createRequire(import.meta.url)
const snowball: { stem(word: string): string } = require('snowball-stemmers').newStemmer('english')
const wink: (word: string) => string = require('wink-porter2-stemmer')

const root = new URL('../../../../', import.meta.url).pathname
const corpora = new URL('../../../../../shared/corpora/', import.meta.url).pathname

function collectWords(text: string, words: Set<string>): void {
  for (const [word] of text.matchAll(/[A-Za-z]+/g)) if (word.length <= 64) words.add(word.toLowerCase())
}

function readmeWords(): Set<string> {
  const words = new Set<string>()
  for (const file of globSync('node_modules/{*,@*/*}/*.md', { cwd: root }))
    collectWords(readFileSync(root + file, 'utf8'), words)
  return words
}

function corpusWords(): Set<string> {
  const words = new Set<string>()
  for (const file of globSync('*/corpus.jsonl.gz', { cwd: corpora }))
    collectWords(gunzipSync(readFileSync(corpora + file)).toString('utf8'), words)
  return words
}

// Words that the reference implementations, which follow Snowball 1 or 2, stem differently from the current definition.
const since3 = new Map<string, string>()
function list(reason: string, words: string): void {
  for (const pair of words.trim().split(/\s+/)) {
    const [word, stem] = pair.split('=') as [string, string]
    since3.set(word, stem)
    it(`stems ${word} to ${stem}: ${reason}`, () => {
      expect(porter2(word)).toBe(stem)
    })
  }
}

describe('porter2, where Snowball 3 differs from the reference implementations,', () => {
  list(
    'R1 begins after past-, so that past and paste stay apart',
    'paste=paste pastes=paste pasted=paste pasting=paste past=past',
  )
  list('past is a short syllable wherever it ends a word', 'pbpaste=pbpaste')
  list(
    'R1 begins after univers-, so that universe, universal and university stay apart',
    `universal=universal universally=universal universals=universal universality=universal university=universiti
    universities=universiti universiti=universiti universe=univers`,
  )
  list(
    'R1 begins after later-, so that lateral and later stay apart',
    'lateral=lateral laterally=lateral lateralized=lateral later=later',
  )
  list(
    'R1 begins after emerg-, so that emerge and emergency stay apart',
    'emergency=emergenc emergencies=emergenc emergence=emergenc emergent=emergent emerge=emerg emerging=emerg',
  )
  list(
    'R1 begins after organ-, so that organ, organic and organize stay apart',
    `organ=organ organs=organ organic=organic organics=organic organically=organic organicity=organic organe=organe
    organism=organism organisms=organism organize=organiz organizes=organiz organized=organiz organizing=organiz
    organizer=organiz organizers=organiz organization=organiz organizations=organiz`,
  )
  list(
    'a double after exactly a, e or o stays',
    'added=add adding=add egging=egg erring=err effing=eff effed=eff offing=off',
  )
  list('evening is not a form of even', 'evening=evening evenings=evening')
  list('-ying after one consonant comes from -ie', 'vying=vie rying=rie dying=die lying=lie tying=tie hying=hie')
})

describe('porter2, where the reference implementations differ from each other,', () => {
  list('a y after a consonant y is a vowel, as in one of them', 'yyyy=yyyi')
  list('R1 of aed begins after the removed e, so no e is added', 'aed=a')
})

describe('porter2', () => {
  it.each([
    ['', ''],
    ['as', 'as'],
    ["'tis", 'tis'],
    ["cat's", 'cat'],
    ["cats'", 'cat'],
    ["cat's'", 'cat'],
    ['ties', 'tie'],
    ['cries', 'cri'],
    ['gas', 'gas'],
    ['kiwis', 'kiwi'],
    ['skis', 'ski'],
    ['skies', 'sky'],
    ['proceeded', 'proceed'],
    ['proceed', 'proceed'],
    ['agreed', 'agre'],
    ['herrings', 'herring'],
    ['luxuriated', 'luxuri'],
    ['hopping', 'hop'],
    ['hoping', 'hope'],
    ['generically', 'generic'],
    ['say', 'say'],
    ['cry', 'cri'],
    ['by', 'by'],
    ['knightly', 'knight'],
    ['consolingly', 'consol'],
  ])('stems %j to %j', (word, stem) => {
    expect(porter2(word)).toBe(stem)
  })

  it('stems -ologist like -ology', () => {
    for (const science of ['geology', 'apology', 'archaeology', 'otolaryngology'])
      expect(porter2(science.replace(/y$/, 'ist'))).toBe(porter2(science))
  })

  it('agrees with both reference implementations on every word of the installed packages, except the words listed', () => {
    const words = readmeWords()
    expect(words.size).toBeGreaterThan(8_000)
    expect(disagreements(words)).toEqual([])
  })

  it.skipIf(!existsSync(corpora))(
    'agrees with both reference implementations on every word of the test corpora, except the words listed',
    () => {
      const words = corpusWords()
      expect(words.size).toBeGreaterThan(50_000)
      expect(disagreements(words)).toEqual([])
    },
    30_000,
  )

  it('changes no word that ends with a letter that no suffix ends with', () => {
    const ends = [...'abcdefghijklmnopqrstuvwxyz'].filter(letter => !mayStem(letter.charCodeAt(0)))
    expect(ends.join('')).toBe('abfhjkopquvwxz')
    const word = fc.tuple(
      fc.string({ unit: fc.constantFrom(...'abeilngsty'), maxLength: 12 }),
      fc.constantFrom(...ends),
    )
    fc.assert(
      fc.property(word, ([start, end]) => {
        expect(porter2(start + end)).toBe(start + end)
      }),
      { numRuns: 5000 },
    )
  })

  it('stems a word that repeats one letter 64 times', () => {
    for (const letter of 'aeioubdgstxyz') expect(porter2(letter.repeat(64)).length).toBeGreaterThan(60)
  })
})

/** Returns the words whose stem equals neither that of both reference implementations nor the one listed above. */
function disagreements(words: ReadonlySet<string>): string[] {
  const found: string[] = []
  for (const word of words) {
    const stem = porter2(word)
    const [first, second] = [snowball.stem(word), wink(word)]
    if (stem === first && stem === second) continue
    const ogist = /ogists?$/.test(word) ? snowball.stem(word.replace(/ists?$/, 'y')) : undefined
    if (stem !== (since3.get(word) ?? ogist)) found.push(`${word}: ${stem}, not ${first} or ${second}`)
  }
  return found
}
