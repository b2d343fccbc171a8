import { describe, expect, it } from 'vitest'
import { clientNetwork } from '../../../service/accounts/index.ts'
import { greediest, groupOf } from '../../../service/fair-shares/client-group.ts'

describe('groupOf', () => {
  it.each([
    ['2001:db8:0:1::', '2001:db8:0::/48'],
    ['2001:db8:0:ffff:1::9', '2001:db8:0::/48'],
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ])('is the /48 of an IPv6 address and otherwise the client (%s)', (address, group) => {
    expect(groupOf(clientNetwork(address))).toBe(group)
  })

  it('is the organization itself', () => {
    expect(groupOf('org_1')).toBe('org_1')
  })
})

describe('greediest', () => {
  const client = (name: string, group: string | undefined, length: number) => ({ name, group, calls: { length } })
  const newcomer = client('new', 'new', 0)

  it('is the client with the most calls, in the group with the most', () => {
    const all = [client('a', 'a', 5), client('b1', 'b', 3), client('b2', 'b', 4), newcomer]
    expect(greediest(all, newcomer)?.name).toBe('b2')
  })

  it('is nobody if none has more than the newcomer would have', () => {
    expect(greediest([client('a', 'a', 1), newcomer], newcomer)).toBeUndefined()
    const own = client('own', 'own', 2)
    expect(greediest([client('a', 'a', 3), own], own)).toBeUndefined()
  })

  it('is another client of the same group if that group has the most', () => {
    const own = client('own', 'a', 0)
    expect(greediest([client('a1', 'a', 2), client('a2', 'a', 3), client('b', 'b', 4), own], own)?.name).toBe('a2')
  })
})
