import { expect, it } from 'vitest'
import { passageTexts, textsWithin, warnOfCut } from '../../../../../transports/http/dialects/frame/result-text.ts'

const passage = (text: string, score: number) => ({ text, score, start: 0, end: text.length, context: [] })

it('a result has its best passages in the order of the page, or its snippet', () => {
  const passages = [passage('a', 1), passage('b', 3), passage('c', 2)]
  expect(passageTexts({ passages, snippet: 's' })).toEqual(['a', 'b', 'c'])
  expect(passageTexts({ passages }, 2)).toEqual(['b', 'c'])
  expect(passageTexts({ passages: [], snippet: 's' })).toEqual([])
  expect(passageTexts({ snippet: '**Ships** at sea', snippet_highlights: [[2, 7]] })).toEqual(['Ships at sea'])
  expect(passageTexts({})).toEqual([])
})

it('texts have together no more characters than were asked for', () => {
  expect(textsWithin(['Ships', 'the sea'], 100)).toEqual(['Ships', 'the sea'])
  expect(textsWithin(['Ships', 'the sea'], 8)).toEqual(['Ships', 'the'])
  expect(textsWithin(['🚢🚢🚢', 'a'], 2)).toEqual(['🚢🚢'])
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
