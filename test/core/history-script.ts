import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type {
  AddOptions,
  CaptureInput,
  Engine,
  ObservationInput,
  OpenOptions,
  SearchOptions,
} from '../../core/index.ts'
import { open } from '../../core/index.ts'
import type { MergePolicy } from '../../core/merge/merge-policy.ts'
import { inFolders } from '../histories.ts'

/** One step of a history, at a time of the engine's clock. The steps of a script have ascending times. */
export type Step =
  | {
      kind: 'add'
      at: number
      captures: ScriptCapture[]
    }
  | { kind: 'remove'; at: number; url: string; acquiredAt?: number }
  | { kind: 'seen'; at: number; url: string; acquiredAt?: number }

export interface ScriptCapture {
  url: string
  body: string
  acquiredAt: number | undefined
  publishedAt?: number
  /** Index of the page's metadata in {@link metadata}. */
  said: number
  /** Index of the form of the text in {@link forms}. */
  form: number
  alias?: string
  /** True if a later observation took its millisecond. Only its alias is left. */
  lost?: true
}

export const START_AT = Date.UTC(2024, 0, 1)

/** Metadata that pages may have. The first word of the text is the author unless the metadata names another. */
const metadata: Partial<CaptureInput>[] = [
  {},
  { author: 'Stone River' },
  { author: 'light', lang: 'pt-BR' },
  { kind: 'article', description: 'a river of light and time' },
  { lang: 'en', siteName: 'The Site' },
  { data: [{ '@type': 'Product', name: 'stone', offers: { price: 1, priceCurrency: 'EUR' } }] },
  { data: [{ '@type': 'Product', name: 'stone', offers: { price: 2, priceCurrency: 'EUR' } }] },
  { fields: { price: 1, color: 'red', seen: new Date(START_AT) } },
  { fields: { price: [2, 7.5], color: ['red', 'blue'], sold: true } },
  { fields: { price: -3, color: 'green', seen: new Date(START_AT + 50) }, author: 'light' },
]

/** Forms that differ in markup or white space, but not in text. */
const forms: ((text: string) => Partial<CaptureInput>)[] = [
  text => ({ text }),
  text => ({ text: text.replaceAll(' ', '  ') }),
  text => ({ markdown: text.replace(/\w+$/, '**$&**') }),
  text => ({ markdown: text.replace(/\w+$/, '[$&](https://example.com/)') }),
]

/** Milliseconds between two steps. */
const STEP_MS = 10

const words = [
  'time',
  'travel',
  'search',
  'engine',
  'river',
  'stone',
  'light',
  'running',
  'runs',
  '東京都',
  'C++',
  'node.js',
  'of',
  'the',
]
/** A passage so long that the pages that contain it are near-duplicates. */
const passage = Array.from({ length: 40 }, (_, word) => `passage${word}`).join(' ')
const hosts = ['a.example.com', 'b.example.com', 'example.org']
const paths = ['1', '2', '3', '4', '5']

const anyBody = fc
  .tuple(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }), fc.constantFrom('', '', passage))
  .map(([list, end]) => [...list, end].join(' ').trim())
/** Texts that often repeat, so that many observations of a page find it unchanged. */
export const body = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('time travel', 'time travel', 'light search of the engine') },
  { weight: 1, arbitrary: anyBody },
)
const anyUrl = fc
  .tuple(fc.constantFrom(...hosts), fc.constantFrom(...paths))
  .map(([host, path]) => `https://${host}/${path}`)
export const url = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('https://a.example.com/1', 'https://example.org/2') },
  { weight: 2, arbitrary: anyUrl },
)
export const said = fc.nat(metadata.length - 1)
export const form = fc.oneof(fc.constant(0), fc.nat(forms.length - 1))
export const aliases = ['https://alias.example/1', 'https://alias.example/2']
export const alias = fc.option(fc.constantFrom(...aliases), { nil: undefined, freq: 3 })
/** Declared time of a capture, in twentieths of the time that has passed. Undefined: the engine stamps the capture. */
const declared = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined })

const capture = fc.record({
  url,
  body,
  declared,
  said,
  form,
  alias,
  published: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
})
const rawStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      captures: fc.array(capture, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'seen' as const), url, declared }) },
)

/** Histories with re-captures, removals and declared observations out of order, often of the same millisecond. */
export const script: fc.Arbitrary<Step[]> = fc.array(rawStep, { minLength: 2, maxLength: 14 }).map(steps =>
  steps.map((step, index): Step => {
    const at = START_AT + (index + 1) * STEP_MS
    const past = (twentieths: number): number => START_AT + Math.floor(((at - START_AT) * twentieths) / 20)
    if (step.kind !== 'add') {
      const { kind, url, declared } = step
      return { kind, url, at, acquiredAt: declared === undefined ? undefined : past(declared) }
    }
    return {
      kind: 'add',
      at,
      captures: step.captures.map(({ url, body, declared, published, said, form, alias }) => ({
        url,
        body,
        said,
        form,
        alias,
        acquiredAt: declared === undefined ? undefined : past(declared),
        publishedAt: published === undefined ? undefined : past(published),
      })),
    }
  }),
)

/** Returns the same script with one call of `add` for each capture. */
export function oneByOne(steps: readonly Step[]): Step[] {
  return steps.flatMap((step): Step[] =>
    step.kind === 'add' ? step.captures.map(capture => ({ ...step, captures: [capture] })) : [step],
  )
}

/** Returns the first URL of a script, and the script without it. */
export function withoutFirstUrl(steps: readonly Step[]): { victim: string; without: Step[] } {
  const first = steps[0]!
  const victim = first.kind === 'add' ? first.captures[0]!.url : first.url
  const without = steps.flatMap((step): Step[] => {
    if (step.kind !== 'add') return step.url === victim ? [] : [step]
    const captures = step.captures.filter(({ url }) => url !== victim)
    return captures.length > 0 ? [{ ...step, captures }] : []
  })
  return { victim, without }
}

/** Returns the part of a script that an index received that only ever got captures acquired through `instant`. */
export function upTo(steps: readonly Step[], instant: number): Step[] {
  return steps.flatMap((step): Step[] => {
    if (step.kind !== 'add') return (step.acquiredAt ?? step.at) <= instant ? [step] : []
    const captures = step.captures.filter(({ acquiredAt }) => (acquiredAt ?? step.at) <= instant)
    return captures.length > 0 ? [{ ...step, captures }] : []
  })
}

/** Returns the same script with every instant declared. */
export function allDeclared(steps: readonly Step[]): Step[] {
  return steps.map((step): Step => {
    const { at } = step
    if (step.kind !== 'add') return { ...step, acquiredAt: step.acquiredAt ?? at }
    return { ...step, captures: step.captures.map(capture => ({ ...capture, acquiredAt: capture.acquiredAt ?? at })) }
  })
}

/** Returns the script without observations whose millisecond a later one of the same URL takes. Only their aliases are left. */
export function withoutLosers(steps: readonly Step[]): Step[] {
  const taken = new Set<string>()
  const takes = (url: string, at: number): boolean => {
    const place = `${at} ${url}`
    if (taken.has(place)) return false
    taken.add(place)
    return true
  }
  const left: Step[] = []
  for (const step of steps.toReversed()) {
    if (step.kind === 'remove' && !takes(step.url, step.acquiredAt ?? step.at)) continue
    if (step.kind !== 'add') {
      left.push(step)
      continue
    }
    const captures = step.captures.toReversed().flatMap((capture): ScriptCapture[] => {
      const acquiredAt = capture.acquiredAt ?? step.at
      if (takes(capture.url, acquiredAt)) return [capture]
      return capture.alias === undefined ? [] : [{ ...capture, acquiredAt, lost: true }]
    })
    if (captures.length > 0) left.push({ ...step, captures: captures.reverse() })
  }
  return left.reverse()
}

/** Where a script is cut (see `momentIn`), uniformly distributed. */
export const anyPlace = fc.noBias(fc.nat())

/** Returns an instant between the earliest that a script declares and just after its last step; later ones would all be alike. */
export function momentIn(steps: readonly Step[], place: number): number {
  return START_AT + (place % (steps.length * STEP_MS + 2))
}

export interface Playback {
  engine: Engine
  close(): Promise<void>
}

type PlayOptions = Pick<OpenOptions, 'retain' | 'embed' | 'searchThreads'> & {
  /** Default: no merges. */
  mergePolicy?: MergePolicy
  /** Where the clock stands afterwards, epoch ms. Default: long after the last step. */
  endAt?: number
  /** When vectors are computed. Default: now. */
  vectors?: AddOptions['vectors']
}

/** Plays a script into a new engine, whose clock the script sets. The engine is in memory unless {@link inFolders} or it has search threads. */
export async function play(
  steps: readonly Step[],
  { endAt, vectors, mergePolicy = () => [], searchThreads = 0, ...options }: PlayOptions = {},
): Promise<Playback> {
  let clock = START_AT
  const { engine, close } = await openPlayed({ ...options, mergePolicy, searchThreads, now: () => clock })
  const setClock = (at: number): void => {
    clock = at
  }
  await playInto(engine, steps, setClock, { endAt, vectors })
  return { engine, close }
}

/** Opens an engine to play into: in memory, or in a folder that closing deletes. */
export async function openPlayed(options: OpenOptions): Promise<Playback> {
  if (!inFolders && !options.searchThreads) {
    const engine = await open(':memory:', options)
    return { engine, close: () => engine.close() }
  }
  const dir = await mkdtemp(join(tmpdir(), 'asof-history-'))
  const engine = await open(dir, options)
  return {
    engine,
    close: async () => {
      await engine.close()
      await rm(dir, { recursive: true })
    },
  }
}

/** Plays a script into an engine. @param setClock - sets the clock of the engine. */
export async function playInto(
  engine: Engine,
  steps: readonly Step[],
  setClock: (at: number) => void,
  { endAt = START_AT + 1000 * STEP_MS, vectors }: Pick<PlayOptions, 'endAt' | 'vectors'> = {},
): Promise<void> {
  for (const step of steps) {
    setClock(step.at)
    if (step.kind !== 'add' && step.acquiredAt === undefined)
      await engine[step.kind === 'seen' ? 'markSeen' : step.kind](step.url)
    else if (step.kind === 'remove') await engine.remove(step.url, { at: step.acquiredAt as number })
    else {
      const report = await engine.add(inputsOf(step), { vectors })
      if (report.failures.length > 0) throw new Error(report.failures[0]!.message)
    }
  }
  setClock(endAt)
}

function inputsOf(step: Exclude<Step, { kind: 'remove' }>): ObservationInput[] {
  if (step.kind !== 'add') return [{ url: step.url, seenAt: step.acquiredAt as number }]
  return step.captures.map(capture => {
    const { url, alias, acquiredAt, lost } = capture
    return lost ? { url, aliases: [alias as string], aliasedAt: acquiredAt as number } : toInput(capture)
  })
}

export function toInput({ url, body, acquiredAt, publishedAt, said, form, alias }: ScriptCapture): CaptureInput {
  const [first = '', ...rest] = body.split(' ')
  return {
    url,
    title: first,
    ...forms[form]!(rest.join(' ')),
    author: first,
    ...metadata[said],
    aliases: alias === undefined ? undefined : [alias],
    acquiredAt,
    publishedAt,
  }
}

/** Merges a pseudo-random choice of segments, another one at every call. */
export function randomMerges(seed: number): MergePolicy {
  let state = seed >>> 0 || 1
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return segments => {
    const purged = segments.filter(segment => segment.purged > 0).map(segment => segment.id)
    if (next() < 0.5 && purged.length > 0) return purged
    if (segments.length < 2 || next() < 0.5) return []
    const chosen = segments.filter(() => next() < 0.6)
    return chosen.length > 1 ? chosen.map(segment => segment.id) : []
  }
}

/** Queries that are searched for in both rankings. */
const plainQuestions: { query: string; options: SearchOptions }[] = [
  { query: 'time travel search', options: { maxResults: 3 } },
  { query: 'running river stone light engine', options: {} },
  { query: 'search engine', options: { maxResults: 1 } },
  { query: '"time travel"', options: {} },
  // The answer depends on whether any page up to the instant contains all phrases.
  { query: '"stone river engine" “light time”', options: {} },
  { query: '„running time search“ light -«stone river»', options: { maxResults: 2 } },
  { query: 'C++ engine "node.js"', options: {} },
  { query: 'site:example.org', options: { maxResults: 3 } },
  { query: 'site:example.com', options: { publishedAfter: START_AT + 10 } },
  { query: 'stone -river', options: {} },
  { query: 'light time', options: { site: 'example.com', maxResults: 2 } },
  { query: 'engine site:example.org', options: {} },
  { query: '東京', options: {} },
  { query: 'time light', options: { publishedAfter: START_AT + 20, publishedBefore: START_AT + 80 } },
  { query: 'river runs', options: { acquiredAfter: START_AT + 30, acquiredBefore: START_AT + 90 } },
  { query: 'time engine', options: { publishedAfter: START_AT + 40 } },
  { query: 'stone light', options: { publishedBefore: START_AT + 30, maxResults: 3 } },
  { query: 'the of', options: { snippetMaxLength: 0 } },
  { query: 'latest river time', options: {} },
  { query: 'stone 1 January 2024', options: {} },
  { query: 'time light', options: { filter: { color: 'red' } } },
  { query: 'time stone', options: { filter: { price: { lt: 5 } }, maxResults: 2 } },
  { query: 'river light', options: { filter: { not: { price: { gte: 2, lt: 8 } } } } },
  { query: 'engine', options: { filter: { any: [{ sold: true }, { seen: { gt: new Date(START_AT) } }] } } },
  { query: 'search', options: { filter: { color: { exists: false } }, site: 'example.com' } },
  { query: 'serach', options: { filter: { color: { prefix: 'b' } } } },
  // Misspelled: the corrections depend on the words in the index at the instant.
  { query: 'serach enginne', options: {} },
  { query: 'lihgt stnoe', options: { maxResults: 2 } },
  { query: 'travle', options: { site: 'example.com' } },
  // Compounds: their parts depend on the words in the index at the instant, too.
  { query: 'light #TimeTravel riverstone', options: {} },
]

/** Queries of every kind, for each pair of indexes that must give the same answers. */
export const questions: { query: string; options: SearchOptions }[] = [
  ...plainQuestions.flatMap(({ query, options }) =>
    (['pro', 'realtime'] as const).map(mode => ({ query, options: { mode, ...options } })),
  ),
  ...[
    'time AND (travel OR search) NOT river',
    'title:time OR "running river" OR "東京都"',
    'sto* ligth~ NOT engine',
    'title:ru* OR the',
    'time NEAR/3 river',
    'url:2 (engine OR author:stone OR type:other)',
    'author:"stone river" OR type:article',
    'lang:pt OR lang:en NOT author:time',
    'time AND (author:sto* OR author:ligth~) NOT lang:pt-br',
    'author:(stone NEAR/1 river) OR author:running',
    'NOT (time OR site:a.example.com)',
    `run* acquired:[${at(20)} TO ${at(90)}]`,
    `published:[${at(10)} TO *] OR NOT published:[* TO *]`,
  ].map(query => ({ query, options: { mode: 'webql' as const, maxResults: 4 } })),
  { query: 'time OR stone', options: { mode: 'webql', filter: { price: [1, 7.5] } } },
  { query: 'NOT river', options: { mode: 'webql', filter: { color: 'red', seen: { exists: true } } } },
  // Queries that are still being typed.
  ...['tim', 'light runni', 'serach eng', 'stnoe riv ', '"time travel" sear', 'rvier -stone ligt'].map(query => ({
    query,
    options: { mode: 'realtime' as const, typing: true, maxResults: 4 },
  })),
  { query: 'trave', options: { mode: 'realtime', typing: true, maxResults: 1, sort: 'acquiredAt', facets: ['color'] } },
  { query: 'red time', options: { mode: 'realtime', weights: { fields: { color: 2 } }, maxResults: 4 } },
  { query: 'blue stone', options: { weights: { title: 1, fields: { color: 5 } }, maxResults: 4 } },
  ...[{ title: 0 }, { title: 20 }].flatMap(weights => [
    { query: 'time light stone', options: { mode: 'realtime' as const, weights, maxResults: 4 } },
    { query: 'engine of light', options: { weights, maxResults: 4 } },
  ]),
  // Facets, orders by value and pages.
  { query: '', options: { maxResults: 3, facets: ['color', 'price:2', 'seen:hour', 'sold', 'publishedAt:day'] } },
  { query: '', options: { maxResults: 2, sort: 'price:desc', filter: { color: { exists: true } } } },
  { query: '', options: { maxResults: 2, sort: 'publishedAt', excludeSites: ['example.org'] } },
  { query: '', options: { maxResults: 3, sort: 'price,publishedAt:desc' } },
  { query: 'time light', options: { maxResults: 2, sort: 'seen:desc', facets: ['color'], maxFacetValues: 2 } },
  { query: 'time light', options: { maxResults: 2, sort: 'acquiredAt', sites: ['a.example.com', 'example.org'] } },
  { query: 'time travel', options: { maxResults: 1, offset: 1, facets: ['price'] } },
  { query: 'serach enginne', options: { mode: 'realtime', maxResults: 1, sort: 'price', facets: ['acquiredAt:year'] } },
  { query: 'site:example.com', options: { maxResults: 2, sort: 'publishedAt:desc', facets: ['color'] } },
  { query: 'NOT river', options: { mode: 'webql', maxResults: 2, offset: 0, facets: ['color', 'price'] } },
]

function at(moment: number): string {
  return new Date(START_AT + moment).toISOString()
}
