import { expect, it } from 'vitest'
import { shownPassages, warnOfCut } from '../../../../../transports/http/dialects/frame/result-text.ts'

const result = {
  snippet: '**Ships** with ** stars … the **sea**',
  snippet_highlights: [
    [2, 7],
    [32, 35],
  ],
}

it('passages have together no more characters than were asked for', () => {
  expect(shownPassages(result, 100)).toEqual(['Ships with ** stars', 'the sea'])
  expect(shownPassages(result, 22)).toEqual(['Ships with ** stars', 'the'])
  expect(shownPassages({ snippet: '🚢🚢🚢' }, 2)).toEqual(['🚢🚢'])
  expect(shownPassages({}, 100)).toEqual([])
})

it('a text that is as long as an answer can have it is reported once', () => {
  const warnings: { path: string; message: string }[] = []
  warnOfCut('text', 'abc', 4, warnings)
  warnOfCut('text', '🚢🚢🚢', 4, warnings)
  expect(warnings).toEqual([])
  warnOfCut('text', 'abcd', 4, warnings)
  warnOfCut('text', 'efgh', 4, warnings)
  expect(warnings).toEqual([{ path: 'text', message: expect.stringContaining('cut after 4 characters') }])
})
