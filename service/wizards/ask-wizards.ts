import { setImmediate } from 'node:timers/promises'
import type { SearchAnswer, SearchResult } from '@asof/core'
import { analyzeQuery } from '@asof/core/internal'
import type { SearchRequest, SearchResponse } from '../contract/search-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import { finance } from './finance.ts'
import { navigation } from './navigation.ts'
import { places } from './places.ts'
import { predictionMarkets } from './prediction-markets.ts'
import { productPrices } from './product-prices.ts'
import { sports } from './sports.ts'
import { dataAcquiredAt, type Wizard, type WizardAnswer, type WizardCapture, type WizardQuestion } from './wizard.ts'

/** Number of best results that wizards see, whatever number the caller requested. */
export const WIZARD_CAPTURES = 10
const MAX_ITEMS = 10
const MAX_ITEM_BYTES = 16 * 1024
/** Default time limit of a wizard, ms. */
export const WIZARD_TIMEOUT_MS = 1000

type WizardItem = NonNullable<SearchResponse['wizards']>[number]

/** The wizards of asof, in the order of their items in the response. */
export const builtInWizards: readonly Wizard[] = [navigation, finance, sports, productPrices, predictionMarkets, places]

/** Called if a wizard fails. The response then lacks its items. */
export type OnWizardFailure = (wizard: string, failure: unknown) => void

interface Asking {
  engine: IndexReads
  request: SearchRequest
  answer: SearchAnswer
  wizards: readonly Wizard[]
  timeoutMs: number
  onFailure: OnWizardFailure
}

/**
 * Returns the items of all wizards for an answered search, in the order of the wizards. The capture of an item must be
 * one that the wizard received; otherwise the wizard fails.
 */
export async function askWizards(asking: Asking): Promise<WizardItem[]> {
  const { engine, request, answer, wizards, timeoutMs, onFailure } = asking
  const known = new Set<WizardCapture>()
  const read = async (url: string): Promise<WizardCapture | undefined> => {
    const capture = await captureAt(engine, url, answer.receipt.instant)
    if (capture) known.add(capture)
    return capture
  }
  const capturesOf = async (found: readonly SearchResult[]): Promise<WizardCapture[]> => {
    const results = found.slice(0, WIZARD_CAPTURES)
    const captures = await Promise.all(results.map(result => read(result.url)))
    return captures.filter((capture, at) => capture?.acquiredAt === results[at]?.acquiredAt) as WizardCapture[]
  }
  const captures = await capturesOf(answer.results)
  // Several wizards may search for the same words, so the results are shared.
  const searched = new Map<string, Promise<readonly WizardCapture[]>>()
  const question = {
    query: request.query,
    terms: analyzeQuery(request.query).terms.map(({ term }) => term),
    captures,
    capture: async (url: string) => (hasNoFilters(request) ? read(url) : undefined),
    search: async (words: string, mode: 'realtime' | 'webql' = 'realtime') => {
      if (!hasNoFilters(request)) return []
      const key = `${mode} ${words}`
      const known = searched.get(key)
      if (known) return known
      const options = { mode, queryTime: answer.receipt.instant, snippetMaxLength: 0, models: false }
      const found = engine
        .search(words, { ...options, maxResults: WIZARD_CAPTURES })
        .then(({ results }) => capturesOf(results))
      searched.set(key, found)
      return found
    },
  }
  const ask = async (wizard: Wizard): Promise<WizardItem[]> => {
    try {
      const answers = await inTime(wizard, question, timeoutMs)
      return answers.slice(0, MAX_ITEMS).map(one => itemOf(wizard, one, known))
    } catch (failure) {
      onFailure(wizard.name, failure)
      return []
    }
  }
  const items: Promise<WizardItem[]>[] = []
  for (const wizard of wizards) {
    items.push(ask(wizard))
    // Lets other requests run between two wizards.
    await setImmediate()
  }
  return (await Promise.all(items)).flat()
}

async function captureAt(engine: IndexReads, url: string, instant: number): Promise<WizardCapture | undefined> {
  const page = await engine.page(url, { queryTime: instant, markdownMaxLength: 0 })
  if (!page) return undefined
  const { title, acquiredAt, revisedAt, publishedAt, siteName, data = [] } = page
  return Object.freeze({
    url: page.url,
    title,
    acquiredAt,
    data,
    revisedAt,
    publishedAt,
    siteName,
  })
}

/** True if a request has no filters except `query_time`, so that its answer may contain any page. */
function hasNoFilters(request: SearchRequest): boolean {
  const { site, filter, acquired_after, acquired_before, published_after, published_before } = request
  if (
    [site, filter, acquired_after, acquired_before, published_after, published_before].some(
      given => given !== undefined,
    )
  )
    return false
  if ([request.sites, request.exclude_sites].some(list => list !== undefined && list.length > 0)) return false
  const { phrases, excluded, sites, excludedSites } = analyzeQuery(request.query)
  return [phrases, excluded, sites, excludedSites].every(conditions => conditions.length === 0)
}

/** Returns a wizard's answers. Rejects after the time limit. */
async function inTime(
  wizard: Wizard,
  question: Omit<WizardQuestion, 'signal'>,
  timeoutMs: number,
): Promise<readonly WizardAnswer[]> {
  const signal = AbortSignal.timeout(timeoutMs)
  const late = Promise.withResolvers<never>()
  const stop = () => late.reject(new Error(`the wizard took longer than ${timeoutMs} ms`))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([wizard.answer({ ...question, signal }), late.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Returns an item of the response. Copies its fields as JSON, so that values that are not JSON fail here. */
function itemOf(wizard: Wizard, { capture, fields }: WizardAnswer, known: ReadonlySet<WizardCapture>): WizardItem {
  if (!known.has(capture)) throw new TypeError('the capture of an item is not one that the wizard received')
  const json = JSON.stringify(fields)
  if (Buffer.byteLength(json) > MAX_ITEM_BYTES) throw new TypeError(`an item is larger than ${MAX_ITEM_BYTES} bytes`)
  const source = { wizard: wizard.name, url: capture.url, acquired_at: timestamp(dataAcquiredAt(capture)) }
  return { ...source, ...(JSON.parse(json) as Record<string, unknown>), ...source }
}
