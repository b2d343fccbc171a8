import type { Outcome } from './battle.ts'
import { type Kind, quantile } from './honest-clients.ts'

export interface Bounds {
  /** Limit of the 99th percentile of the latency of honest requests, milliseconds. Default: none. */
  p99Ms?: number
  /** Memory of the server without its child processes, bytes; 30 % more are allowed. */
  memoryBytes: number
}

function counted(counts: ReadonlyMap<number, number>): string {
  const named = [...counts].toSorted(([a], [b]) => a - b)
  return named.map(([status, times]) => `${status === 0 ? 'closed' : status}: ${times}`).join(', ')
}

/** Returns the limits that an outcome exceeds. */
export function broken(
  { honest, alive, breaches, memory, crawls }: Outcome,
  { p99Ms = Infinity, memoryBytes }: Bounds,
): string[] {
  const wrong = alive ? [...breaches] : ['the server ended', ...breaches]
  for (const kind of Object.keys(honest) as Kind[]) {
    const { milliseconds, refused } = honest[kind]
    if (milliseconds.length === 0) wrong.push(`no honest ${kind} was made`)
    if (refused.size > 0) wrong.push(`honest clients were refused a ${kind} (${counted(refused)})`)
    const p99 = quantile(milliseconds, 0.99)
    if (p99 > p99Ms) wrong.push(`an honest ${kind} took ${Math.round(p99)} ms (p99, bound ${p99Ms})`)
  }
  const most = memoryBytes * 1.3
  if (memory.own > most) wrong.push(`the server took ${Math.round(memory.own / 2 ** 20)} MiB of memory`)
  // null, 130 and 143: ended by a signal of this test. 0: success. 1: a crawl with failed pages.
  if (crawls.some(code => code !== null && ![0, 1, 130, 143].includes(code))) wrong.push(`a crawl ended with ${crawls}`)
  return wrong
}

/** Returns the outcome as a Markdown table. */
export function table({ attempts, honest, memory, crawls }: Outcome): string {
  const attacks = [...attempts].map(([name, counts]) => `| ${name} | ${counted(counts)} |`)
  const clients = (Object.keys(honest) as Kind[]).map(kind => {
    const { milliseconds, refused } = honest[kind]
    const [median, high] = [0.5, 0.99].map(share => `${Math.round(quantile(milliseconds, share))} ms`)
    return `| ${kind} | ${milliseconds.length} | ${counted(refused) || 'none'} | ${median} | ${high} |`
  })
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
  return [
    '| attack | answers |',
    '|---|---|',
    ...attacks,
    '',
    '| honest | requests | refused | p50 | p99 |',
    '|---|---|---|---|---|',
    ...clients,
    '',
    `memory: ${mib(memory.own)}, with children ${mib(memory.withChildren)}; crawls: ${crawls.length}`,
  ].join('\n')
}
