import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

let folder: string
let engine: Engine
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'asof-compounds-'))
  engine = await open(folder, { searchThreads: 0 })
})
afterEach(async () => {
  await engine.close()
  await rm(folder, { recursive: true })
})

async function add(pages: Record<string, string>, lang: string, at = '2024-01-01'): Promise<void> {
  const { failures } = await engine.add(
    Object.entries(pages).map(([name, text]) => ({ url: `https://${name}.example/`, text, lang, acquiredAt: at })),
  )
  expect(failures).toEqual([])
}

async function found(query: string, queryTime?: string): Promise<string[]> {
  const { results } = await engine.search(query, { mode: 'realtime', queryTime })
  return results.map(({ url }) => new URL(url).hostname.split('.')[0]!)
}

describe('the compounds of a word', () => {
  it.each([
    ['Haltestelle', 'Die Straßenbahnhaltestelle ist am Markt und die Bahn fährt heute', 'de'],
    ['Versicherung', 'Eine private Krankenversicherung ist nicht für alle Menschen günstig', 'de'],
    ['Schifffahrt', 'Die Donaudampfschifffahrtsgesellschaft und die Donaudampfschifffahrt sind alt', 'de'],
    ['Geschwindigkeit', 'Auf dieser Straße gilt eine Höchstgeschwindigkeit von fünfzig', 'de'],
    ['verzekering', 'Een goede ziektekostenverzekering is in Nederland verplicht voor iedereen', 'nl'],
    ['Versicherung', 'Die Krankenversicherung zahlt nicht alles, was wir brauchen', 'de'],
    ['Bahnhof', 'Der Hauptbahnhof in Köln ist heute gesperrt', 'de'],
    ['Kuchen', 'Der Apfelkuchen schmeckt', 'de'],
    ['verzekering', 'De ziektekostenverzekering is duur', 'nl'],
    ['försäkring', 'En bra sjukförsäkring är viktig för alla människor som bor i landet', 'sv'],
  ])('are found by %s', async (word, text, lang) => {
    await add({ compound: text }, lang)
    expect(await found(word)).toEqual(['compound'])
  })

  it('rank after the word itself', async () => {
    await add(
      {
        compound: 'Die Krankenversicherung und die Unfallversicherung sind für alle Menschen wichtig',
        word: 'Die Versicherung ist für alle Menschen wichtig und wird jeden Monat bezahlt und geprüft',
      },
      'de',
    )
    expect(await found('Versicherung')).toEqual(['word', 'compound'])
  })

  it('are found by a word that could be English, unless English pages are among them', async () => {
    await add(
      { room: 'Das Schlafzimmer ist groß und hell', flat: 'Die Wohnung hat ein Arbeitszimmer und ein Bad' },
      'de',
    )
    expect((await found('Zimmer')).sort()).toEqual(['flat', 'room'])
    await add({ english: 'The flat has a living room and this is the price of it' }, 'en', '2024-02-01')
    expect(await found('Zimmer')).toEqual([])
    expect((await found('Zimmer', '2024-01-15')).sort()).toEqual(['flat', 'room'])
  })

  it('are not searched for in another language', async () => {
    await add({ english: 'A firestation, a superstation and the workstation of the spacestation' }, 'en')
    await add({ norwegian: 'Han har en stor hund og hun har en liten katt i huset' }, 'no')
    expect(await found('station')).toEqual([])
    expect(await found('harbor')).toEqual([])
  })

  it('that were acquired later change nothing', async () => {
    await add({ first: 'Der Markt ist heute offen und die Menschen kaufen Brot' }, 'de')
    await add({ later: 'Die Straßenbahnhaltestelle ist am Markt und die Bahn fährt heute' }, 'de', '2024-06-01')
    expect(await found('Haltestelle', '2024-03-01')).toEqual([])
    expect(await found('Haltestelle', '2024-07-01')).toEqual(['later'])
  })
})

describe('umlauts', () => {
  const names = {
    umlaut: 'Herr Müller wohnt in der Straße am Fluss und geht heute nicht aus dem Haus',
    pair: 'Herr Mueller wohnt in der Strasse am Fluss und geht heute nicht aus dem Haus',
    plain: 'Neue Poesie aus Israel ist aktuell und sehr schön zu lesen',
  }

  it.each(['Müller', 'Mueller', 'MÜLLER', 'Mu\u0308ller'])('and their pairs of letters are found by %s', async name => {
    await add(names, 'de')
    expect((await found(name)).sort()).toEqual(['pair', 'umlaut'])
  })

  it('are never made of letters that are a pair by chance', async () => {
    await add({ ...names, short: 'Nu, Posie, Isral und aktull sind keine Wörter' }, 'de')
    for (const word of ['neue', 'Poesie', 'Israel', 'aktuell']) expect((await found(word))[0]).toBe('plain')
  })

  it('are found in Danish pages by their pairs', async () => {
    await add({ danish: 'Søren bor i Århus og arbejder på en skole i byen' }, 'da')
    expect(await found('Soeren')).toEqual(['danish'])
    expect(await found('Aarhus')).toEqual(['danish'])
  })

  it('are highlighted in either spelling', async () => {
    await add(names, 'de')
    const { results } = await engine.search('Mueller', { mode: 'realtime' })
    const marked = results.map(({ snippet }) => snippet.highlights.map(([from, to]) => snippet.text.slice(from, to)))
    expect(marked.flat().sort()).toEqual(['Mueller', 'Müller'])
  })

  it('do not count as unknown words of the query', async () => {
    await add({ english: 'The chancellor Schröder met Muller in the morning' }, 'en')
    const { results, warning } = await engine.search('Schröder')
    expect([results.length, warning]).toEqual([1, undefined])
    expect((await engine.search('Müler')).warning).toMatch(/^showing results for muller;/i)
  })
})
