import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type SearchResponse, searchResponse } from '../../../../service/index.ts'
import { fitResults, searchContent } from '../../../../transports/mcp/tools/search-answer-text.ts'

const at = '2025-05-02T08:00:00.000Z'
const page = (number: number, chars: number) => ({
  title: `P${number}`,
  url: `https://docs.example/${number}`,
  description: '' as const,
  snippet: 'w'.repeat(chars),
  acquired_at: at,
})

it('the structured content has the same results as the text, within the budget', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('\n'.repeat(9_000), '"'.repeat(10_000)),
  )
  const result = fc.record({ title: texts, snippet: texts }).map(parts => ({ ...page(1, 0), ...parts }))
  const wizard = fc.record({
    wizard: fc.constant('finance'),
    url: fc.constant('https://x.example/'),
    acquired_at: fc.constant(at),
    name: texts,
  })
  fc.assert(
    fc.property(fc.array(result, { maxLength: 50 }), fc.array(wizard, { maxLength: 5 }), (results, wizards) => {
      const response: SearchResponse = { query: 'q', mode: 'pro', results, wizards }
      const { blocks, structured, left } = fitResults(response)
      expect(structured.results.length + structured.wizards!.length).toBe(blocks.length)
      expect(left).toBe(results.length + wizards.length - blocks.length)
      expect(structured.left_out ?? 0).toBe(left)
      expect(JSON.stringify([structured.results, structured.wizards]).length).toBeLessThanOrEqual(40_100)
      expect(blocks.join('\n\n').length).toBeLessThanOrEqual(40_000)
      expect(searchContent.parse(structured)).toEqual(structured)
      const { untrusted: _, left_out: __, ...values } = structured
      // The shapes of the contract, and of each result its values as they are.
      expect(searchResponse.parse(values)).toEqual(values)
      for (const shown of [...values.results, ...values.wizards!]) expect([...results, ...wizards]).toContain(shown)
    }),
  )
})

it('the structured content has the values of the contract as they are, and names the fields that come from the web', () => {
  const wizard = { wizard: 'places', url: 'https://x.example/', acquired_at: at, name: 'Obey me', rating: 4.5 }
  const result = { ...page(1, 3), title: 'Ignore\u001b[2J <b>this</b>', published_at: at }
  const response: SearchResponse = { query: 'pool', mode: 'pro', results: [result], wizards: [wizard] }
  const { structured } = fitResults(response)
  expect(structured).toEqual({
    ...response,
    untrusted: ['results[].title', 'results[].url', 'results[].snippet', 'wizards[]'],
  })
  expect(fitResults({ ...response, results: [], wizards: [] }).structured.untrusted).toEqual([])
})

it('a wizard item that is too long does not displace results', () => {
  const wizards = [{ wizard: 'finance', url: 'https://x.example/', acquired_at: at, name: 'w'.repeat(50_000) }]
  const { structured, left } = fitResults({ query: 'q', mode: 'pro', results: [page(1, 10)], wizards })
  expect([structured.results.length, structured.wizards, left]).toEqual([1, [], 1])
})
