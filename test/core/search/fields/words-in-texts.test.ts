import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type CaptureInput, type Engine, type Fields, open, type SearchOptions } from '../../../../core/index.ts'

let now: number
let engine: Engine
const DAY = 86_400_000

beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z')
  engine = await open(':memory:', { now: () => now })
})
afterEach(async () => {
  await engine.close()
})

const page = (name: string, fields: Fields, more: Partial<CaptureInput> = {}): CaptureInput => ({
  url: `https://shop.example/${name}`,
  title: `Page ${name}`,
  text: 'This body says nothing of interest about anything.',
  lang: 'en',
  fields,
  ...more,
})
const summary = (text: string): Fields => ({ summary: { $text: text } })

async function add(...captures: CaptureInput[]): Promise<void> {
  expect(await engine.add(captures)).toMatchObject({ added: captures.length, failures: [] })
}

async function found(query: string, options: SearchOptions = {}): Promise<string[]> {
  const { results } = await engine.search(query, { mode: 'realtime', ...options })
  return results.map(({ url }) => url.replace('https://shop.example/', ''))
}

describe('texts of fields', () => {
  it('are found by their words in plain queries, in both modes', async () => {
    await add(page('a', summary('A quiet marmalade lantern.')), page('b', summary('Some tin whistle.')))
    expect(await found('marmalade')).toEqual(['a'])
    expect(await found('lanterns', { mode: 'pro' })).toEqual(['a'])
    expect(await found('whistle marmalade')).toHaveLength(2)
  })

  it('are found by words of their language', async () => {
    await add(
      page(
        'de',
        { summary: { $text: 'Die alten Laternen der Städte leuchten' } },
        { lang: 'de', text: 'Dieser Text sagt nichts über das, was gesucht wird.' },
      ),
    )
    await add(page('zh', { summary: { $text: '安静的灯笼' } }, { lang: 'zh' }))
    expect(await found('Laterne', { language: 'de' })).toEqual(['de'])
    expect(await found('灯笼')).toEqual(['zh'])
  })

  it('are longer than keywords may be', async () => {
    await add(page('a', summary(`${'filler '.repeat(1_400)}marmalade`)))
    expect(await found('marmalade')).toEqual(['a'])
    const report = await engine.add([page('b', summary('x'.repeat(10_001)))])
    expect(report.failures[0]).toMatchObject({ code: 'ASOF_INVALID_CAPTURE' })
    expect(report.failures[0]?.message).toContain('fields.summary has 10001 UTF-16 units; a text has at most 10000')
  })

  it('are limited to 100,000 units a page', async () => {
    const long = 'x'.repeat(10_000)
    const report = await engine.add([page('b', { notes: Array.from({ length: 11 }, () => ({ $text: long })) })])
    expect(report.failures[0]?.message).toContain('the texts of fields have 110000 UTF-16 units')
  })

  it('fulfill required phrases, and exclusions exclude their words', async () => {
    await add(page('a', summary('a marmalade lantern')), page('b', summary('a lantern of marmalade')))
    expect(await found('"marmalade lantern"')).toEqual(['a'])
    expect(await found('lantern -"marmalade lantern"')).toEqual(['b'])
    expect(await found('lantern -marmalade')).toEqual([])
  })

  it('match no phrase across two texts of a field', async () => {
    await add(page('a', { notes: [{ $text: 'a marmalade' }, { $text: 'lantern' }] }))
    expect(await found('marmalade lantern')).toEqual(['a'])
    expect(await found('notes:"marmalade lantern"', { mode: 'webql' })).toEqual([])
  })

  it('count by the weight of their field, 1 without one', async () => {
    await add(
      page('body', summary('nothing here'), { text: 'This body has the marmalade word of interest, once.' }),
      page('field', summary('the marmalade')),
      page('other', { notes: { $text: 'the marmalade' } }),
    )
    const scores = async (fields: Record<string, number>) => {
      const { results } = await engine.search('marmalade', { mode: 'realtime', weights: { fields } })
      return Object.fromEntries(results.map(({ url, score }) => [url.replace('https://shop.example/', ''), score]))
    }
    const plain = await scores({})
    expect(plain.field).toBeCloseTo(plain.other!, 9)
    const weighed = await scores({ summary: 3 })
    expect(weighed.field).toBeCloseTo(3 * plain.field!, 5)
    expect(weighed.other).toBeCloseTo(plain.other!, 5)
    expect(weighed.body).toBeCloseTo(plain.body!, 5)
    expect(Object.keys(await scores({ summary: 0 })).sort()).toEqual(['body', 'other'])
  })

  it('have the weights that the relevance of the index had at the instant', async () => {
    await add(page('one', summary('the marmalade')), page('two', { notes: { $text: 'the marmalade' } }))
    await engine.setRelevance({ weights: { fields: { summary: 4 } } })
    const before = now
    now += DAY
    await engine.setRelevance({ weights: { fields: { notes: 4 } } })
    expect(await found('marmalade')).toEqual(['two', 'one'])
    expect(await found('marmalade', { queryTime: before })).toEqual(['one', 'two'])
  })

  it('rank a page higher that has the word more often', async () => {
    await add(page('once', summary('marmalade and tea')), page('often', summary('marmalade marmalade marmalade')))
    expect(await found('marmalade')).toEqual(['often', 'once'])
  })

  it('are searched alone in the full language', async () => {
    await add(
      page('body', summary('tea'), { text: 'A marmalade body.' }),
      page('a', summary('A marmalade lantern, and tea.')),
      page('b', { notes: { $text: 'marmalade' } }),
    )
    const webql = { mode: 'webql' } as const
    expect(await found('summary:marmalade', webql)).toEqual(['a'])
    expect(await found('summary:lanterns', webql)).toEqual(['a'])
    expect(await found('summary:"marmalade lantern"', webql)).toEqual(['a'])
    expect(await found('summary:"lantern marmalade"', webql)).toEqual([])
    expect(await found('summary:(marmalade OR tea) NOT notes:marmalade', webql)).toEqual(['a', 'body'])
    expect((await found('marmalade', webql)).sort()).toEqual(['a', 'b', 'body'])
    expect(await found('marmalade NEAR/2 lantern', webql)).toEqual(['a'])
    expect(await found('title:marmalade', webql)).toEqual([])
    expect((await found('summary:*', webql)).sort()).toEqual(['a', 'body'])
  })

  it('score once, with both weights, if a query asks for a word in all texts and in one field', async () => {
    await add(page('a', { notes: { $text: 'marmalade' } }, { title: 'Marmalade' }), page('b', summary('tea')))
    const { results, explain } = await engine.search('title:marmalade AND notes:marmalade', {
      mode: 'webql',
      explain: true,
    })
    const parts = explain!.scores[0]!
    expect(parts.map(part => 'term' in part && part.term).sort()).toEqual(['marmalad', 'notes:marmalad'])
    const weights = parts.map(({ weight }) => weight)
    expect(Math.max(...weights)).toBeCloseTo(2 * Math.min(...weights), 6)
    expect(parts.reduce((sum, { score }) => sum + score, 0)).toBe(results[0]!.score)
  })

  it('make the snippet if only they match', async () => {
    await add(page('a', summary('Before that, the marmalade lantern was lit by hand.')))
    const { results } = await engine.search('lantern')
    const { text, highlights } = results[0]!.snippet
    expect(text).toContain('the marmalade lantern was lit')
    expect(highlights.map(([from, to]) => text.slice(from, to))).toEqual(['lantern'])
    const { results: alone } = await engine.search('summary:lantern', { mode: 'webql' })
    expect(alone[0]!.snippet.text).toContain('the marmalade lantern was lit')
  })

  it('are those of the capture that was current at the instant', async () => {
    await add(page('a', summary('the marmalade')))
    const first = now
    now += DAY
    await add(page('a', summary('the lantern')))
    expect(await found('marmalade')).toEqual([])
    expect(await found('lantern')).toEqual(['a'])
    expect(await found('marmalade', { queryTime: first })).toEqual(['a'])
    expect(await found('lantern', { queryTime: first })).toEqual([])
    const { results } = await engine.search('marmalade', { queryTime: first })
    expect(results[0]?.fields).toEqual(summary('the marmalade'))
  })

  it('leave answers as of an instant before them as they were', async () => {
    await add(page('old', { color: 'red' }, { text: 'A marmalade body.' }), page('older', { color: 'blue' }))
    const first = now
    const before = await engine.search('marmalade', { queryTime: first, explain: true })
    now += DAY
    await add(page('new', summary('the marmalade')), page('newer', summary('more marmalade')))
    const after = await engine.search('marmalade', { queryTime: first, explain: true })
    expect(after.results).toEqual(before.results)
    expect(after.explain?.scores).toEqual(before.explain?.scores)
  })

  it('have parts of a score that name the field and add up to it', async () => {
    await add(page('a', summary('the marmalade'), { text: 'A marmalade body.' }))
    const { results, explain } = await engine.search('marmalade', { mode: 'realtime', explain: true })
    const parts = explain!.scores[0]!
    expect(parts.map(part => ('term' in part ? part.term : part.signal))).toContain('summary:marmalad')
    expect(parts.reduce((sum, { score }) => sum + score, 0)).toBe(results[0]!.score)
  })

  it('are neither filtered by value, counted nor ordered by', async () => {
    await add(page('a', summary('the marmalade')), page('b', { color: 'red' }))
    expect(await found('page', { filter: { summary: { exists: true } } })).toEqual(['a'])
    expect(await found('page', { filter: { summary: { exists: false } } })).toEqual(['b'])
    for (const options of [{ filter: { summary: 'the marmalade' } }, { facets: ['summary'] }, { sort: 'summary' }])
      await expect(engine.search('page', options)).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        message: expect.stringContaining('of type text'),
      })
  })

  it('are listed among the fields, without examples', async () => {
    await add(page('a', summary('the marmalade')))
    expect(await engine.fields()).toEqual([{ name: 'summary', type: 'text', pages: 1, examples: [] }])
  })

  it('and keywords cannot be in one field', async () => {
    await add(page('a', summary('the marmalade')))
    const report = await engine.add([page('b', { summary: 'marmalade' })])
    expect(report.failures[0]?.message).toContain('in this index the field is of type text')
  })

  it('of words in no script are texts nevertheless', async () => {
    await add(page('a', summary('… – …')))
    expect(await found('page', { filter: { summary: { exists: true } } })).toEqual(['a'])
  })

  it('have words that are not taken for misspelled ones', async () => {
    await add(page('a', summary('marmalade')), page('b', {}, { text: 'A marmelade maker.' }))
    const { results, warning } = await engine.search('marmalade')
    expect([results.map(({ title }) => title), warning]).toEqual([['Page a'], undefined])
  })

  it('stay after purges, merges and reopening', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'texts-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    let stored = await open(folder, { now: () => now })
    for (let n = 0; n < 12; n++) await stored.add([page(`${n}`, summary(`marmalade lantern ${n}`))])
    await stored.purge('https://shop.example/3')
    await stored.close()
    stored = await open(folder, { now: () => now })
    const { results } = await stored.search('"marmalade lantern"', { maxResults: 50 })
    expect(results).toHaveLength(11)
    await stored.close()
  })
})
