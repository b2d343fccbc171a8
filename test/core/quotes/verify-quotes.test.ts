import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'

const url = 'https://a.example/ferry'
const day = (n: number) => Date.UTC(2020, 0, 1 + n)

describe('verifying quotes', () => {
  let engine: Engine
  beforeEach(async () => {
    engine = await open(':memory:')
  })
  afterEach(async () => {
    await engine.close()
  })

  it('finds a quote through Markdown, and where it is in the Markdown', async () => {
    const markdown =
      '# Ferry\n\nThe *ferry* leaves at **7:30**, see [the\ntable](https://a.example/x_y "t").\n\n- Dogs \\*free\\*'
    await engine.add([{ url, acquiredAt: day(0), markdown }])
    const { verdict, passage, version, stood, differences } = await engine.verify({
      url,
      quote: 'the ferry leaves at 7:30 see the table',
    })
    expect(verdict).toBe('verbatim')
    expect(markdown.slice(...passage!.place)).toBe('The *ferry* leaves at **7:30**, see [the\ntable')
    expect(passage!.text).toBe('The ferry leaves at 7:30, see the table')
    expect(version).toEqual({ acquiredAt: day(0), lastSeenAt: day(0) })
    expect(stood).toEqual([{ from: day(0) }])
    expect(differences).toBeUndefined()
    const dogs = await engine.verify({ url, quote: 'Dogs free' })
    expect(markdown.slice(...dogs.passage!.place)).toBe('Dogs \\*free')
  })

  it('finds where a quote is behind an image whose address is a whole picture', async () => {
    const markdown = `![A map](data:image/png;base64,${'iVBORw0KGgo'.repeat(3_000)})\n\nThe ferry leaves at **7:30**.`
    await engine.add([{ url, acquiredAt: day(0), markdown }])
    for (const [quote, verdict] of [
      ['The ferry leaves at 7:30', 'verbatim'],
      ['The ferry leaves at 8:30', 'contradicted'],
    ] as const) {
      const judged = await engine.verify({ url, quote })
      expect(judged.verdict).toBe(verdict)
      expect(markdown.slice(...judged.passage!.place)).toBe('The ferry leaves at **7:30')
    }
  })

  it('says what is contradicted, what is gone and since when, and which page it never had', async () => {
    await engine.add([
      { url, acquiredAt: day(0), text: 'Tickets cost two crowns.' },
      { url, acquiredAt: day(10), text: 'Tickets cost four crowns.' },
      { url, acquiredAt: day(20), text: 'Closed.' },
      { url, removedAt: day(30) },
    ])
    const ask = async (queryTime?: number) => engine.verify({ url, quote: 'Tickets cost two crowns', queryTime })
    const stood = [{ from: day(0), until: day(10) }]
    expect(await ask(day(5))).toMatchObject({ verdict: 'verbatim', stood: [{ from: day(0) }] })
    expect(await ask(day(15))).toMatchObject({
      verdict: 'contradicted',
      stood,
      differences: [{ quote: 'two', page: 'four', contradicts: 'number' }],
      passage: { text: 'Tickets cost four crowns' },
    })
    expect(await ask(day(25))).toMatchObject({ verdict: 'gone', stood, version: { acquiredAt: day(20) } })
    const removed = await ask()
    expect(removed).toMatchObject({ verdict: 'gone', stood })
    expect(removed.version).toBeUndefined()
    expect(await ask(day(-1))).toEqual({ verdict: 'unknown_page', url, instant: day(-1), stood: [] })
    expect(await engine.verify({ url: 'https://b.example/', quote: 'x' })).toMatchObject({ verdict: 'unknown_page' })
  })

  it('judges the page of an alias, and the markup of the version that is current', async () => {
    await engine.add([
      { url, acquiredAt: day(0), markdown: 'one two three' },
      { url, acquiredAt: day(1), markdown: 'one **two** three' },
      { url, aliasedAt: day(0), aliases: ['https://a.example/short'] },
    ])
    const verdict = await engine.verify({ url: 'https://a.example/short', quote: 'one two three' })
    expect(verdict).toMatchObject({ verdict: 'verbatim', url, stood: [{ from: day(0) }] })
    expect(verdict.passage!.place).toEqual([0, 17])
  })

  it('judges many quotes in one call, in their order, as of one instant', async () => {
    await engine.add([
      { url, acquiredAt: day(0), text: 'first words here' },
      { url, acquiredAt: day(9), text: 'other words here' },
    ])
    const verdicts = await engine.verifyAll([
      { url, quote: 'first words' },
      { url: 'https://b.example/', quote: 'first words' },
      { url, quote: 'first words', queryTime: day(1) },
      { url: `${url}#part`, quote: 'other words' },
    ])
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['reworded', 'unknown_page', 'verbatim', 'verbatim'])
    expect(verdicts[0]!.instant).toBe(verdicts[3]!.instant)
    expect(await engine.verifyAll([])).toEqual([])
  })

  describe('that make much work', () => {
    const words = 'ant bee cat dog '.repeat(5_000)
    /** Fifty quotes of twenty parts: they are searched for in every version. */
    const asked = (url: string) => Array.from({ length: 50 }, () => ({ url, quote: Array(20).fill('ant').join(' … ') }))

    it('reads a bounded part of the histories of one call, the newest versions first', async () => {
      const pages = [url, 'https://a.example/other']
      for (const url of pages)
        for (let n = 0; n < 4; n++) await engine.add([{ url, acquiredAt: day(n), text: `Version ${n}. ${words}` }])
      const [first, second] = pages as [string, string]
      const together = await engine.verifyAll([...asked(first), ...asked(second)])
      expect(together[0]).toMatchObject({ verdict: 'verbatim', stood: [{ from: day(0) }] })
      expect(together[0]).not.toHaveProperty('readFrom')
      const { readFrom, stood } = together[99]!
      expect(readFrom).toBeGreaterThan(day(0))
      expect(stood).toEqual([{ from: readFrom }])
      const [alone] = await engine.verifyAll(asked(second))
      expect(alone).toMatchObject({ verdict: 'verbatim', stood: [{ from: day(0) }] })
    })

    it('judges equal texts of a page once', async () => {
      for (let n = 0; n < 20; n++)
        await engine.add([{ url, acquiredAt: day(n), text: n % 2 === 0 ? `First. ${words}` : 'Other words.' }])
      const [verdict] = await engine.verifyAll(asked(url))
      expect(verdict).not.toHaveProperty('readFrom')
      expect(verdict!.stood).toHaveLength(10)
      expect(verdict!.stood[9]).toEqual({ from: day(18), until: day(19) })
    })

    it('shows a bounded part of a passage, whose words and gaps may be as long as the page', async () => {
      const long = 'x'.repeat(20_000)
      await engine.add([
        { url, acquiredAt: day(0), text: `first ${'more words '.repeat(2_000)}last` },
        { url: `${url}/words`, acquiredAt: day(0), text: `alpha ${long} gamma ${long} delta epsilon` },
      ])
      const [verbatim, reworded] = await engine.verifyAll([
        { url, quote: 'first … last' },
        { url: `${url}/words`, quote: 'alpha beta gamma delta epsilon' },
      ])
      expect(verbatim).toMatchObject({ verdict: 'verbatim', passage: { place: [0, 22_010] } })
      expect(verbatim!.passage!.text).toHaveLength(10_000)
      expect(reworded).toMatchObject({
        verdict: 'reworded',
        differences: [{ quote: 'beta', page: 'x'.repeat(10_000) }],
      })
      expect(reworded!.passage!.text).toHaveLength(10_000)
    })

    it('gives other work its turn after each quote', async () => {
      await engine.add([{ url, acquiredAt: day(0), text: words }])
      let turns = 0
      let isDone = false
      const work = () => {
        turns++
        if (!isDone) setImmediate(work)
      }
      setImmediate(work)
      const verdicts = await engine.verifyAll(
        Array.from({ length: 100 }, () => ({ url, quote: 'ant bee emu dog ant' })),
      )
      isDone = true
      expect(verdicts.every(({ verdict }) => verdict === 'reworded')).toBe(true)
      expect(turns).toBeGreaterThanOrEqual(100)
    })
  })

  it('names what is wrong with a question', async () => {
    const refusal = (quotes: unknown) =>
      engine.verifyAll(quotes as []).then(
        () => undefined,
        error => [error.code, error.details?.field],
      )
    const one = { url, quote: 'word' }
    expect(await refusal('x')).toEqual(['ASOF_INVALID_OPTION', 'quotes'])
    expect(await refusal(Array(101).fill(one))).toEqual(['ASOF_INVALID_OPTION', 'quotes'])
    expect(await refusal([one, { url }])).toEqual(['ASOF_INVALID_OPTION', 'quotes[1].quote'])
    expect(await refusal([{ ...one, text: 'a' }])).toEqual(['ASOF_INVALID_OPTION', 'quotes[0].text'])
    expect(await refusal([{ url, quote: ' …!' }])).toEqual(['ASOF_INVALID_OPTION', 'quotes[0].quote'])
    expect(await refusal([{ url, quote: 'a '.repeat(1_001) }])).toEqual(['ASOF_INVALID_OPTION', 'quotes[0].quote'])
    expect(await refusal([{ url, quote: 'a … '.repeat(21) }])).toEqual(['ASOF_INVALID_OPTION', 'quotes[0].quote'])
    expect((await refusal([{ url: 'nothing', quote: 'a' }]))![0]).toBe('ASOF_INVALID_URL')
    expect((await refusal([{ ...one, queryTime: '3000-01-01' }]))![0]).toBe('ASOF_INVALID_TIME')
  })

  it('finds for random histories when each word stood on the page, as of any day', async () => {
    const letters = ['ant', 'bee', 'cat', 'dog']
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.subarray(letters, { minLength: 1 }) },
      { weight: 1, arbitrary: fc.constant('removal' as const) },
    )
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(13), async (steps, at) => {
        const page = `https://a.example/${number++}`
        await engine.add(
          steps.map((words, n) =>
            words === 'removal'
              ? { url: page, removedAt: day(n) }
              : { url: page, acquiredAt: day(n), markdown: words.map(word => `- *${word}*`).join('\n') },
          ),
        )
        const known = steps.slice(0, at + 1)
        for (const word of letters) {
          const expected: { from: number; until?: number }[] = []
          known.forEach((words, n) => {
            const stands = words !== 'removal' && words.includes(word)
            const last = expected.at(-1)
            if (last && last.until === undefined && !stands) last.until = day(n)
            else if (stands && (!last || last.until !== undefined)) expected.push({ from: day(n) })
          })
          const { verdict, stood } = await engine.verify({ url: page, quote: word, queryTime: day(at) })
          expect(stood).toEqual(expected)
          const wasThere = known.some(words => words !== 'removal')
          const isThere = expected.at(-1)?.until === undefined && expected.length > 0
          expect(verdict).toBe(isThere ? 'verbatim' : wasThere ? 'gone' : 'unknown_page')
        }
      }),
      { numRuns: 40 },
    )
  })
})
