import type { Snippet } from '../engine.ts'
import { plainText } from '../text/plain-text.ts'
import { TokenBuffer, tokenize } from '../text/tokens.ts'
import { type Stretch, widen } from './excerpt.ts'
import { choosePassages, type Match, type Passage } from './passages.ts'

/** The body of the capture that a snippet is made of. */
export interface SnippetSource {
  markdown: string
  /** See `Body.samples`. */
  samples: Uint32Array
  description?: string
}

export interface SnippetQuery {
  /** The query's scoring terms, and the worth of each. */
  terms: readonly string[]
  weights: readonly number[]
  /** Where they stand in the body, ascending. */
  matches: readonly Match[]
}

const JOINER = ' … '
/** At most this many passages, and none shorter than about a line. */
const MAX_PASSAGES = 3
const MIN_PASSAGE_CHARS = 90

/**
 * Makes the snippet of a result: the passages that show the query's terms best, as plain text with the matched words'
 * ranges. Without a match in the body it is the description, else the beginning of the text.
 *
 * @param limit - characters the text may have; passages end at sentences or words.
 */
export function makeSnippet(source: SnippetSource, query: SnippetQuery, limit: number): Snippet {
  const text = plainText(source.markdown)
  const passages = choosePassages(
    query.matches,
    query.weights,
    Math.min(MAX_PASSAGES, Math.floor(limit / MIN_PASSAGE_CHARS)),
  )
  const terms = new Set(query.terms)
  if (passages.length === 0) {
    const opening = source.description?.trim() || text
    const whole = { start: 0, end: opening.length }
    return assemble(opening, [widen(opening, { start: 0, end: 0 }, limit, whole)], terms)
  }
  return assemble(text, stretchesOf(text, source.samples, passages, limit), terms)
}

function stretchesOf(text: string, samples: Uint32Array, passages: readonly Passage[], limit: number): Stretch[] {
  const share = Math.floor((limit - JOINER.length * (passages.length - 1)) / passages.length)
  const stretches: Stretch[] = []
  const cores = passages.map(passage => offsetsOf(text, samples, passage))
  cores.forEach((core, i) => {
    const bounds = { start: stretches.at(-1)?.end ?? 0, end: cores[i + 1]?.start ?? text.length }
    if (core.start < bounds.start) return
    const stretch = widen(text, core, share, bounds)
    if (stretch.end > stretch.start) stretches.push(stretch)
  })
  return stretches
}

const tokens = new TokenBuffer()

/** Offsets of the tokens at a passage's first and last positions, tokenising no more than lies around it. */
function offsetsOf(text: string, samples: Uint32Array, { first, last }: Passage): Stretch {
  let at = 0
  while (at + 2 < samples.length && samples[at + 2] <= first) at += 2
  let end = at
  while (end < samples.length && samples[end] <= last) end += 2
  const from = samples[at + 1] ?? 0
  // One sample further: in a script without spaces the last token reaches one character into what follows it.
  const to = end + 2 < samples.length ? samples[end + 3] : text.length
  tokens.count = 0
  // A page may lack samples past its last token: what lies behind is bounded by the sampling distance.
  tokenize(text.slice(from, Math.max(to, from)), tokens, samples[at] ?? 0)
  const stretch = { start: from, end: from }
  for (let i = 0; i < tokens.count; i++) {
    if (tokens.positions[i] === first) stretch.start = from + tokens.starts[i]
    if (tokens.positions[i] <= last) stretch.end = from + tokens.ends[i]
  }
  return stretch
}

function assemble(text: string, stretches: readonly Stretch[], terms: ReadonlySet<string>): Snippet {
  let joined = ''
  const highlights: Snippet['highlights'] = []
  for (const { start, end } of stretches) {
    if (joined !== '') joined += JOINER
    const part = text.slice(start, end)
    tokens.count = 0
    tokenize(part, tokens)
    for (let i = 0; i < tokens.count; i++) {
      if (!terms.has(tokens.terms[i])) continue
      const from = joined.length + tokens.starts[i]
      const to = joined.length + tokens.ends[i]
      const previous = highlights.at(-1)
      if (previous && from <= previous[1]) previous[1] = Math.max(previous[1], to)
      else highlights.push([from, to])
    }
    joined += part.replaceAll('\n', ' ')
  }
  return { text: joined, highlights }
}
