import { describe, expect, it } from 'vitest'
import { Figures, quantile, sumDurations } from '../../console/operate/figures.ts'

const metric = (route: string, ...upTo: number[]) => {
  const name = 'asof_http_request_duration_seconds'
  const labels = { method: 'GET', route }
  const bounds = [0.01, 0.1, '+Inf']
  return [
    ...upTo.map((value, i) => ({ name: `${name}_bucket`, labels: { ...labels, le: bounds[i]! }, value })),
    { name: `${name}_sum`, labels, value: 3 },
    { name: `${name}_count`, labels, value: upTo.at(-1)! },
  ]
}
const figures = new Figures([
  { name: 'asof_engine_captures', help: '', values: [{ name: 'asof_engine_captures', labels: {}, value: 7 }] },
  {
    name: 'asof_http_request_duration_seconds',
    help: '',
    values: [...metric('/a', 2, 4, 4), ...metric('/b', 0, 0, 6)],
  },
])

describe('figures of a server', () => {
  it('are undefined where the server has none', () => {
    expect([figures.value('asof_engine_captures'), figures.value('asof_engine_bytes')]).toEqual([7, undefined])
  })

  it('list the routes with the most requests first', () => {
    expect(figures.durations().map(({ route, requests }) => [route, requests])).toEqual([
      ['GET /b', 6],
      ['GET /a', 4],
    ])
  })

  it('tell within which time a share of the requests was answered', () => {
    const [b, a] = figures.durations()
    expect(quantile(a!, 0.5)).toBeCloseTo(0.01)
    expect(quantile(a!, 0.75)).toBeCloseTo(0.055)
    // Beyond the last bound, only the bound is known.
    expect(quantile(b!, 0.5)).toBe(0.1)
    expect(quantile(sumDurations([]), 0.5)).toBeUndefined()
  })

  it('add up over routes', () => {
    expect(sumDurations(figures.durations()).buckets.map(({ requests }) => requests)).toEqual([2, 4, 10])
  })
})
