import { setTimeout as pause } from 'node:timers/promises'
import { call } from './call.ts'

/** Outcomes of one kind of request of honest clients. */
export interface Experience {
  milliseconds: number[]
  /** How often each status other than 200 was received. */
  refused: Map<number, number>
}

export type Kind = 'search' | 'fetch' | 'live'

const everyMs: Record<Kind, number> = { search: 1_000, fetch: 1_000, live: 2_000 }

function urlOf(kind: Kind, url: string, site: string, turn: number): string {
  if (kind === 'search') return `${url}/v1/search/public?query=w${turn % 900}+w${(turn * 3) % 900}`
  if (kind === 'fetch') return `${url}/v1/fetch/public?url=${encodeURIComponent(`https://page${turn % 500}.example/`)}`
  return `${url}/v1/fetch/public?live=true&url=${encodeURIComponent(`${site}/honest/${turn}`)}`
}

/** Returns the quantile of the values at `share`, 0 to 1, or 0 without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Lets two clients of every kind send requests, each from its own address and within all limits, until the signal is aborted. */
export async function beHonest(url: string, site: string, signal: AbortSignal): Promise<Record<Kind, Experience>> {
  const fresh = (): Experience => ({ milliseconds: [], refused: new Map() })
  const met: Record<Kind, Experience> = { search: fresh(), fetch: fresh(), live: fresh() }
  const client = async (kind: Kind, localAddress: string, first: number) => {
    for (let turn = first; !signal.aborted; turn += 2) {
      const began = performance.now()
      const status = await call({ url: urlOf(kind, url, site, turn), localAddress })
      const took = performance.now() - began
      met[kind].milliseconds.push(took)
      if (status !== 200) met[kind].refused.set(status, (met[kind].refused.get(status) ?? 0) + 1)
      await pause(Math.max(0, everyMs[kind] - took), undefined, { signal }).catch(() => {})
    }
  }
  const kinds = Object.keys(met) as Kind[]
  await Promise.all(
    kinds.flatMap((kind, i) => [0, 1].map(first => client(kind, `127.0.1.${i * 2 + first + 1}`, first))),
  )
  return met
}
