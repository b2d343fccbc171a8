import type { Attack } from '../attack.ts'
import { floodThroughProxy } from '../through-proxy.ts'

export const attack: Attack = {
  name: 'queries of 370 words from eight IPv4 addresses',
  run: field =>
    floodThroughProxy(
      field,
      Array.from({ length: 8 }, (_, i) => `203.0.113.${i + 1}`),
      40,
    ),
}
