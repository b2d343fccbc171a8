import { setImmediate } from 'node:timers/promises'
import { parseQuery, type SearchAnswer, type SearchResult } from '@asof/core'
import type { SearchRequest, SearchResponse } from '../contract/schemas.ts'
import { timestamp } from '../contract/timestamp.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import { dataAcquiredAt, type Wizard, type WizardAnswer, type WizardCapture, type WizardQuestion } from './wizard.ts'

/** Results whose captures wizards see, however many the caller asked for. */
export const WIZARD_CAPTURES = 10
const MAX_ITEMS = 10
const MAX_ITEM_BYTES = 16 * 1024
/** What one wizard may take unless its service is told otherwise. */
export const WIZARD_TIMEOUT_MS = 1000

type WizardItem = NonNullable<SearchResponse['wizards']>[number]

/** Told of a wizard that failed; the search is answered without it. */
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
 * Asks every wizard about an answered search.
 *
 * @returns items in the order of the wizards; empty when none matched. A capture that was not current at the answer's
 *   instant can't be the source of one, whatever a wizard does.
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
    return captures.filter((capture, at) => capture?.acquiredAt === results[at].acquiredAt) as WizardCapture[]
  }
  const captures = await capturesOf(answer.results)
  // Several wizards may leave the same words out.
  const searched = new Map<string, Promise<readonly WizardCapture[]>>()
  const question = {
    query: request.query,
    terms: parseQuery(request.query).terms.map(({ term }) => term),
    captures,
    capture: async (url: string) => (passesUnsearched(request) ? read(url) : undefined),
    search: async (words: string, mode: 'realtime' | 'webql' = 'realtime') => {
      if (!passesUnsearched(request)) return []
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
    // Other requests get their turn between two wizards.
    await setImmediate()
  }
  return (await Promise.all(items)).flat()
}

async function captureAt(engine: IndexReads, url: string, instant: number): Promise<WizardCapture | undefined> {
  const page = await engine.page(url, { queryTime: instant })
  if (!page) return undefined
  const { title, acquiredAt, revisedAt, publishedAt, siteName, data = [] } = page
  return Object.freeze({
    url: page.url,
    title,
    acquiredAt,
    data,
    ...(revisedAt !== undefined && { revisedAt }),
    ...(publishedAt !== undefined && { publishedAt }),
    ...(siteName !== undefined && { siteName }),
  })
}

/** Whether a request has no filter but the cut, so that a page need not have been searched for to pass. */
function passesUnsearched(request: SearchRequest): boolean {
  const { site, acquired_after, acquired_before, published_after, published_before } = request
  if ([site, acquired_after, acquired_before, published_after, published_before].some(filter => filter !== undefined))
    return false
  const { phrases, excluded, sites, excludedSites } = parseQuery(request.query)
  return [phrases, excluded, sites, excludedSites].every(conditions => conditions.length === 0)
}

/** What a wizard answers within its time. */
async function inTime(
  wizard: Wizard,
  question: Omit<WizardQuestion, 'signal'>,
  timeoutMs: number,
): Promise<readonly WizardAnswer[]> {
  const signal = AbortSignal.timeout(timeoutMs)
  const late = Promise.withResolvers<never>()
  const stop = () => late.reject(new Error(`it took over ${timeoutMs} ms`))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([wizard.answer({ ...question, signal }), late.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The item on the wire. Its source is the capture's, and it is a copy: what is no JSON fails here, not the response. */
function itemOf(wizard: Wizard, { capture, fields }: WizardAnswer, known: ReadonlySet<WizardCapture>): WizardItem {
  if (!known.has(capture)) throw new TypeError('an item names a capture that the wizard was not given')
  const json = JSON.stringify(fields)
  if (Buffer.byteLength(json) > MAX_ITEM_BYTES) throw new TypeError(`an item is over ${MAX_ITEM_BYTES} bytes`)
  const source = { wizard: wizard.name, url: capture.url, acquired_at: timestamp(dataAcquiredAt(capture)) }
  return { ...source, ...(JSON.parse(json) as Record<string, unknown>), ...source }
}
