import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

type Filter = Record<string, unknown>

const times = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))

/** Filters that read many values, new ones each time. */
const filters: readonly ((turn: number) => Filter)[] = [
  () => ({ any: times(100, () => ({ id: { prefix: 'id-' } })) }),
  turn => ({ any: times(100, i => ({ id: { gte: `id-${i}`, lt: `id-${i}~${turn}` } })) }),
  turn => ({ all: times(190, i => ({ id: { gte: `h${turn}-${i}` } })) }),
  turn => ({ all: times(400, i => ({ size: { gte: -i - turn } })) }),
  turn => ({ any: times(250, i => ({ all: [{ id: { exists: true } }, { size: turn + i }] })) }),
  turn => ({ id: times(1_000, i => `id-${i + turn}`) }),
  turn => ({ [`unknown${turn}`]: { gt: 'x' }, size: { lt: 'x' } }),
]

export const attack: Attack = {
  name: 'filters with hundreds of ranges',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 10, async turn => {
      const filter = filters[turn % filters.length]!(turn)
      const body = JSON.stringify({ query: `w${turn % 1_000}`, filter, max_results: 50 })
      note(await call({ url: `${url}/v1/search/public`, method: 'POST', body, localAddress, signal }))
    }),
}
