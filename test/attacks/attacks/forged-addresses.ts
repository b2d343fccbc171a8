import type { Attack } from '../attack.ts'
import { floodThroughProxy } from '../through-proxy.ts'

export const attack: Attack = {
  name: 'X-Forwarded-For with ports, zones and texts',
  run: field =>
    floodThroughProxy(
      field,
      [
        turn => `203.0.113.99:${turn}`,
        turn => `[2001:db8:2::1]:${turn}`,
        turn => `2001:db8:2::1%${turn}`,
        turn => `visitor-${turn}`,
      ],
      10,
    ),
}
