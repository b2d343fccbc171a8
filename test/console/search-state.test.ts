import { describe, expect, it } from 'vitest'
import { addressOf, readSearchState, requestOf } from '../../console/search/search-state.ts'

const address =
  '/?q=ferry&mode=realtime&site=a.example&published_after=2020-01-01&filter=%7B%22berths%22%3A12%7D&facets=tags%2Cprice%3A10&sort=price%3Aasc&at=2021-03-01T00%3A00%3A00.000Z&against=now&results=20&page=3'
const stateOf = (text: string) => readSearchState(new URLSearchParams(text.slice(2)), Date.UTC(2026, 0, 1))

describe('the address of a search', () => {
  it('holds the whole state', () => {
    expect(addressOf(stateOf(address))).toBe(address)
    expect(addressOf(stateOf('/?'))).toBe('/')
  })

  it('becomes the request of the API, without what has its default', () => {
    expect(JSON.parse(JSON.stringify(requestOf(stateOf('/?q=ferry'), undefined)))).toEqual({ query: 'ferry' })
    const state = stateOf(address)
    expect(JSON.parse(JSON.stringify(requestOf(state, state.at)))).toEqual({
      query: 'ferry',
      mode: 'realtime',
      site: 'a.example',
      published_after: '2020-01-01',
      filter: { berths: 12 },
      facets: ['tags', 'price:10'],
      sort: 'price:asc',
      query_time: '2021-03-01T00:00:00.000Z',
      max_results: 20,
      offset: 40,
    })
    expect(requestOf(stateOf('/?q=+'), undefined)).toBeUndefined()
  })

  it('reads bad values as if they were not given', () => {
    expect(stateOf('/?q=a&page=1002').page).toBe(1)
    expect(stateOf('/?q=a&mode=best&at=2031-01-01&results=7000&page=0.5&facets=,')).toEqual(stateOf('/?q=a'))
  })

  it('keeps a moment that it does not understand, to say so, and asks for nothing as of another one', () => {
    for (const [address, text] of [
      ['/?q=a&at=soon', 'soon'],
      ['/?q=a&at=2021-03-01&against=March', 'March'],
      ['/?q=a&at=2025-02-30T00:00:00.000Z', '2025-02-30T00:00:00.000Z'],
    ] as const) {
      const state = stateOf(address)
      expect(state.unread).toBe(text)
      expect(requestOf(state, state.at)).toBeUndefined()
      expect(addressOf(state)).not.toContain(text)
    }
  })
})
