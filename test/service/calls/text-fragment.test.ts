import { describe, expect, it } from 'vitest'
import { textFragment } from '../../../service/calls/text-fragment.ts'

/** Returns the ends that a fragment names. Each must be in one line of the page, one after the other. */
function endsIn(fragment: string, page: string): string[] {
  if (fragment === '') return []
  const ends = fragment.replace('#:~:text=', '').split(',').map(decodeURIComponent)
  let from = 0
  for (const each of ends) {
    const at = page.indexOf(each, from)
    expect(at).toBeGreaterThanOrEqual(0)
    from = at + each.length
  }
  return ends
}

/** A snippet whose matching word is marked by `[` and `]`. */
function snippet(marked: string) {
  const from = marked.indexOf('[')
  const to = marked.indexOf(']') - 1
  return { text: marked.replace(/[[\]]/g, ''), highlights: [[from, to] as [number, number]] }
}

describe('a text fragment', () => {
  it.each([
    [
      'a short sentence',
      'The pool [closes] after 10 s.',
      'Intro.\n\nThe pool closes after 10 s.',
      ['The pool closes after 10', 's'],
    ],
    [
      'a long sentence by its ends',
      'First one. The harbor master says that the night ferry [leaves] the old pier at seven in the evening. Last one.',
      'First one. The harbor master says that the night ferry leaves the old pier at seven in the evening. Last one.',
      ['The harbor master says that', 'at seven in the evening'],
    ],
    [
      'a sentence with markup by what is between its marks',
      'The ferry [leaves] at seven',
      'The **ferry** leaves at seven',
      ['leaves at seven'],
    ],
    [
      'a sentence over several lines by parts of lines',
      'The night ferry [leaves] the old pier at seven in the evening',
      'The night ferry leaves\nthe old pier at seven in the\nevening',
      ['the old pier at seven', 'evening'],
    ],
    [
      'what looks like syntax',
      'A well-known [trick], a & b',
      'A well-known trick, a & b',
      ['A well-known trick, a &', 'b'],
    ],
    [
      'a text without spaces by whole words',
      '[灯塔]看守人已经重新测量了，因为春天发了洪水。',
      '灯塔看守人已经重新测量了，因为春天发了洪水。',
      ['灯塔看守人已经重新', '因为春天发了洪水'],
    ],
    [
      'a text from right to left',
      '[الجسر] الحجري القديم مغلق بسبب أعمال الصيانة',
      'الجسر الحجري القديم مغلق بسبب أعمال الصيانة',
      ['الجسر الحجري القديم مغلق بسبب', 'أعمال الصيانة'],
    ],
    [
      'more words if five stand in an earlier place, in whatever case',
      'The night ferry leaves the [old] pier at seven',
      'THE NIGHT FERRY LEAVES THE new pier.\n\nThe night ferry leaves the old pier at seven',
      ['The night ferry leaves the old', 'pier at seven'],
    ],
    ['no part of a longer word', 'is at [seven]', 'This at seven. He is at seven or at eight.', ['is at seven']],
  ])('names %s', (_what, marked, page, ends) => {
    const fragment = textFragment(snippet(marked), page)
    expect(endsIn(fragment, page)).toEqual(ends)
    expect(fragment.slice(fragment.indexOf('=') + 1)).not.toMatch(/-|\s|&/)
  })

  it('is left out if the page has none of the words, or few words in several places', () => {
    expect(textFragment(snippet('[nothing] of it'), 'other text')).toBe('')
    expect(textFragment({ text: '', highlights: [] }, 'text')).toBe('')
    expect(textFragment({ text: '\ud800', highlights: [[0, 1]] }, 'text')).toBe('')
    expect(textFragment(snippet('[1].'), '1\n\n1\n\n')).toBe('')
    expect(textFragment(snippet('… [–] …'), 'a – b')).toBe('')
  })

  it('takes bounded time for a page that repeats the words very often', () => {
    const page = 'a b '.repeat(50_000)
    const fragment = textFragment({ text: page.slice(0, 600), highlights: [[300, 301]] }, page)
    expect(fragment).toMatch(/^#:~:text=(a|b)%20/)
  })
})
