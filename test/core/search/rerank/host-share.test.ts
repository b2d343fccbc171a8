import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HostShare, shareByHosts } from '../../../../core/search/rerank/host-share.ts'

const share: HostShare = { window: 4, most: 2, within: 3 }
const ordered = (hits: readonly string[], limits = share): string[] => [
  ...shareByHosts(hits, hit => hit.replace(/\d+$/, ''), limits),
]

describe('limiting the share of hosts', () => {
  it('keeps the order if no host exceeds its share', () => {
    expect(ordered(['a1', 'b1', 'a2', 'c1', 'b2'])).toEqual(['a1', 'b1', 'a2', 'c1', 'b2'])
  })

  it('moves the next best result of another host forward if it is close', () => {
    expect(ordered(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'])).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
  })

  it('does not move results forward that are far behind', () => {
    expect(ordered(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1'])).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5', 'a6'])
  })

  it('keeps the order if there is only one host, and of pages without a host', () => {
    const one = Array.from({ length: 20 }, (_, i) => `a${i}`)
    expect(ordered(one)).toEqual(one)
    expect(ordered(['1', '2', '3', '4', 'a1'])).toEqual(['1', '2', '3', '4', 'a1'])
  })

  it('loses no result, and the order does not depend on how many are requested', () => {
    const lists = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 })
    fc.assert(
      fc.property(lists, fc.nat(40), (hosts, count) => {
        const hits = hosts.map((host, i) => `${host}${i}`)
        const all = ordered(hits)
        expect([...all].sort()).toEqual([...hits].sort())
        const first: string[] = []
        for (const hit of shareByHosts(hits, hit => hit.replace(/\d+$/, ''), share)) {
          if (first.length === count) break
          first.push(hit)
        }
        expect(first).toEqual(all.slice(0, count))
      }),
    )
  })
})
