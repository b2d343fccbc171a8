import type { Attack } from '../attack.ts'
import { floodThroughProxy } from '../through-proxy.ts'

export const attack: Attack = {
  name: 'queries of 370 words from 64 networks of one IPv6 /48',
  run: field =>
    floodThroughProxy(
      field,
      Array.from({ length: 64 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`),
      5,
    ),
}
