import { brave } from './brave/brave.ts'
import { exa } from './exa/exa.ts'
import { firecrawl } from './firecrawl/firecrawl.ts'
import type { Dialect } from './frame/dialect.ts'
import { parallel } from './parallel/parallel.ts'
import { perplexity } from './perplexity/perplexity.ts'
import { r } from './r/r.ts'
import { searxng } from './searxng/searxng.ts'
import { tavily } from './tavily/tavily.ts'

/** The dialects, by the first part of their paths. A new dialect is a folder and a row. */
export const dialects = { exa, tavily, firecrawl, searxng, perplexity, parallel, brave, r } satisfies Readonly<
  Record<string, Dialect>
>

/** The name of a dialect, which is also its path: `exa` answers below `/exa`. */
export type DialectName = keyof typeof dialects

export function isDialect(name: string): name is DialectName {
  return Object.hasOwn(dialects, name)
}

export const dialectNames = Object.keys(dialects).filter(isDialect)
