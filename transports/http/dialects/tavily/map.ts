import { z } from 'zod'
import { limits } from '../../../../service/index.ts'
import type { AnswerRequest, SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { mapPages, type WantedMap, withScheme } from '../frame/map-pages.ts'
import { checkPatterns, matchesAny } from '../frame/url-patterns.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'
import { NO_IMAGES, NO_MODEL, silent } from './read.ts'
import { writeRest } from './write.ts'

const MAX_DEPTH = 5
const MAX_BREADTH = 500
const DEFAULT_PAGES = 50

const patterns = z.array(z.string()).default([])
const schema = z.looseObject({
  url: z.string(),
  limit: z.int().min(1).max(limits.mappedUrls.max).default(DEFAULT_PAGES),
  max_depth: z.int().min(1).max(MAX_DEPTH).optional(),
  max_breadth: z.int().min(1).max(MAX_BREADTH).optional(),
  select_paths: patterns,
  exclude_paths: patterns,
  select_domains: patterns,
  exclude_domains: patterns,
  allow_external: z.boolean().optional(),
  include_usage: z.boolean().default(false),
  query_time: z.string().optional(),
})
const rules: VendorFieldRules = {
  leftOut: { instructions: NO_MODEL, include_images: NO_IMAGES },
  silent,
  refused: { categories: 'use select_paths' },
}

type Fields = z.output<typeof schema>

/** Returns the number of segments of a path. */
function depthOf(url: string): number {
  return new URL(url).pathname.split('/').filter(Boolean).length
}

/** Returns what keeps the pages that the patterns and the depth of a request allow. Undefined if it allows all. */
function keepFor({ url, max_depth: maxDepth, ...fields }: Fields): WantedMap['keep'] {
  const tests = [
    { path: 'select_paths', part: 'pathname', isKept: true },
    { path: 'exclude_paths', part: 'pathname', isKept: false },
    { path: 'select_domains', part: 'hostname', isKept: true },
    { path: 'exclude_domains', part: 'hostname', isKept: false },
  ] as const
  const used = tests.filter(({ path }) => fields[path].length > 0)
  for (const { path } of used) checkPatterns(path, fields[path])
  if (used.length === 0 && maxDepth === undefined) return undefined
  return pages => {
    let kept = [...pages]
    for (const { path, part, isKept } of used) {
      const texts = kept.map(page => new URL(page.url)[part])
      const matches = matchesAny(path, fields[path], texts)
      kept = kept.filter((_, i) => matches[i] === isKept)
    }
    if (maxDepth === undefined) return kept
    const most = depthOf(withScheme(url)) + maxDepth
    return kept.filter(page => depthOf(page.url) <= most)
  }
}

/** The names of Tavily for the fields of a list of asof. */
export const tavilyMapNames: Readonly<Record<string, string>> = { include_subdomains: 'allow_external' }

/** Reads a request of `/map` and returns what answers it: the pages of the index below the address, whose links are not followed. */
export function tavilyMap(sent: SentRequest): AnswerRequest {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(schema, sent.fields, { path: '', rules, warnings })
  const { max_depth, max_breadth, allow_external } = fields
  if (max_depth !== undefined)
    warnings.push({ path: 'max_depth', message: 'counts the parts of a path below that of url' })
  if (max_breadth !== undefined)
    warnings.push({ path: 'max_breadth', message: 'left out: the list is that of the index, and follows no links' })
  if (allow_external)
    warnings.push({ path: 'allow_external', message: 'the list only has this site and its subdomains' })
  const wanted: WantedMap = {
    request: {
      url: withScheme(fields.url),
      include_subdomains: allow_external !== false,
      query_time: oneInstant(sent, { query_time: fields.query_time }),
    },
    limit: fields.limit,
    keep: keepFor(fields),
  }
  return async asking => {
    const pages = await mapPages(asking, wanted, warnings)
    return {
      base_url: fields.url,
      results: pages.map(({ url }) => url),
      ...writeRest(sent.id, { warnings, wantsUsage: fields.include_usage }, asking),
    }
  }
}
