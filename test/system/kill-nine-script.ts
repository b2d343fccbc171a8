import type { CaptureInput } from '../../core/index.ts'

/**
 * An operation of the writing process. Operations are computed from a seed, so that the process that kills the writer knows
 * them, too. The operations of one round run concurrently and never concern the same URL.
 */
export type Operation =
  | { kind: 'add'; captures: ScriptCapture[] }
  | { kind: 'remove'; url: string }
  | { kind: 'purge'; url: string }

export interface ScriptCapture {
  url: string
  /** A word that no other capture contains. */
  token: string
  text: string
  html: boolean
  /** The declared `acquiredAt`, or the instant of the round if the engine stamps the capture; epoch ms. */
  at: number
  declared: boolean
}

/**
 * `mixed`: all kinds of operations. `merges`: a stream of adds that keeps the merge thread busy. `tiny`: rounds of few
 * captures of few URLs, nearly all stamped by the engine, so that many runs take little time.
 */
export type Mode = 'mixed' | 'merges' | 'tiny'

const START_AT = Date.UTC(2024, 0, 1)
const ROUND_MS = 1000
const POOL_URLS = 120
const TINY_POOL_URLS = 30
/**
 * Every sixth tiny round adds a page. The next round declares the same page as acquired half a round earlier, and the one after
 * that declares another page of the same URL and instant.
 */
const REPEAT_ROUNDS = 6

/** The time of the engine's clock during a round, epoch ms. */
export const instantOf = (round: number): number => START_AT + round * ROUND_MS

/** Pseudo-random numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function roundOf(seed: number, round: number, mode: Mode): Operation[] {
  const random = randomNumbers(Math.imul(seed, 0x9e3779b1) ^ Math.imul(round, 0x85ebca6b))
  const whole = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1))
  let tokens = 0
  const capture = (url: string): ScriptCapture => {
    const declared = mode === 'mixed' && random() < 0.25
    const token = `unique${round}x${tokens++}`
    const words = Array.from({ length: whole(5, 60) }, () => word(random))
    // In the second of an earlier round, at a millisecond that no other round uses there.
    const at = declared ? instantOf(whole(0, Math.max(0, round - 1))) + 1 + (round % 900) : instantOf(round)
    return { url, token, text: `${token} ${words.join(' ')}`, html: random() < 0.1, at, declared }
  }
  if (mode === 'merges') {
    const size = random() < 0.7 ? whole(1, 3) : whole(50, 150)
    return [{ kind: 'add', captures: Array.from({ length: size }, (_, i) => capture(ownUrl(round, i))) }]
  }
  const operations: Operation[] = []
  const urls = shuffled(mode === 'tiny' ? TINY_POOL_URLS : POOL_URLS, random)
  const pooled = (count: number): ScriptCapture[] => urls.splice(0, count).map(url => capture(url))
  if (mode === 'tiny') {
    for (let adds = whole(1, 2); adds > 0; adds--) operations.push({ kind: 'add', captures: pooled(whole(1, 2)) })
    if (random() < 0.15) operations.push({ kind: 'remove', url: urls.pop() as string })
    if (random() < 0.15) operations.push({ kind: 'purge', url: urls.pop() as string })
    if (round % REPEAT_ROUNDS === 1) operations.push({ kind: 'add', captures: [repeated(round)] })
    // The same page, declared for shortly before, so that the capture of the last round becomes a repetition.
    if (round % REPEAT_ROUNDS === 2) operations.push({ kind: 'add', captures: [archived(round - 1)] })
    // It takes the place of the archived page, so that the page of two rounds ago is a capture again.
    if (round % REPEAT_ROUNDS === 3) {
      const token = `collided${round}`
      operations.push({ kind: 'add', captures: [{ ...archived(round - 2), token, text: `${token} word3` }] })
    }
    return operations
  }
  for (let adds = whole(1, 6); adds > 0; adds--) operations.push({ kind: 'add', captures: pooled(whole(1, 4)) })
  if (random() < 0.12) {
    const own = Array.from({ length: whole(60, 300) }, (_, i) => capture(ownUrl(round, i)))
    operations.push({ kind: 'add', captures: [...own, ...pooled(20)] })
  }
  if (random() < 0.4) operations.push({ kind: 'remove', url: urls.pop() as string })
  if (random() < 0.3) operations.push({ kind: 'purge', url: urls.pop() as string })
  return operations
}

export function inputOf({ url, text, html, at, declared }: ScriptCapture, declareAll = false): CaptureInput {
  return {
    url,
    title: 'a page of the script',
    html: html ? `<main><p>${text}</p></main>` : undefined,
    text: html ? undefined : text,
    acquiredAt: declared || declareAll ? at : undefined,
  }
}

/** A page that the next round declares for an earlier time. */
function repeated(round: number): ScriptCapture {
  const token = `repeated${round}`
  const url = `https://repeated.example.org/${round % (3 * REPEAT_ROUNDS)}`
  return { url, token, text: `${token} word1 word2`, html: false, at: instantOf(round), declared: false }
}

/** The same page, acquired shortly before. */
function archived(round: number): ScriptCapture {
  return { ...repeated(round), at: instantOf(round) - ROUND_MS / 2, declared: true }
}

const ownUrl = (round: number, index: number): string => `https://round${round % 5}.example.com/${round}/${index}`

function shuffled(count: number, random: () => number): string[] {
  const urls = Array.from({ length: count }, (_, i) => `https://host${i % 7}.example.org/page/${i}`)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[urls[i], urls[j]] = [urls[j]!, urls[i]!]
  }
  return urls
}

/** Returns a word; a few words are frequent and most are rare. */
const word = (random: () => number): string => `word${Math.floor(400 * random() ** 3)}`
