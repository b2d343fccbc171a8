import { type Random, seededRandom, zipf } from '../apparatus/random.ts'

/** Size and seed of the synthetic web. */
export interface WebShape {
  hosts: number
  pages: number
  /** Approximate size of the HTML of a page. */
  pageBytes: number
  /** Percentage of the HTML that is readable text. The rest is markup, scripts and styles. */
  textPercent: number
  seed: number
}

const paragraphsKept = 4000
const wordsKept = 20_000
const markupKept = 500
const children = 10
/** The most frequent words of each text, by which the language of a text can be detected. */
const functionWords =
  'the of and to in a is that for it as was with be by on not this are at from or have an which you'.split(' ')

/**
 * A web of numbered pages, each with its own text. Page n is on host n mod hosts and links to ten child pages, to random pages and
 * to traps. All pages can be reached from the first pages of the hosts.
 */
export class SyntheticWeb {
  readonly shape: WebShape
  readonly #paragraphs: string[]
  readonly #scripts: string[]
  readonly #tiles: string[]

  constructor(shape: WebShape) {
    this.shape = shape
    const random = seededRandom(shape.seed)
    const words = Array.from({ length: wordsKept }, (_, rank) => functionWords[rank] ?? word(random.next))
    const ranks = zipf(wordsKept)
    this.#paragraphs = Array.from({ length: paragraphsKept }, () => {
      const text = Array.from({ length: 90 }, () => words[ranks.draw(random)]).join(' ')
      return `<p>${text.slice(0, 1).toUpperCase()}${text.slice(1)}.</p>\n`
    })
    const some = () => words[random.below(wordsKept)]!
    this.#scripts = Array.from({ length: markupKept }, () => script(random, some))
    this.#tiles = Array.from({ length: markupKept }, () => tile(random, some))
  }

  hostOf(page: number): number {
    return page % this.shape.hosts
  }

  /** Returns true for a page that is answered with 404. Such pages have no children, so that all other pages stay reachable. */
  isLost(page: number): boolean {
    return page % 501 === 7 && page >= this.shape.hosts && page * children + 1 >= this.shape.pages
  }

  /** Returns true if the first request for a page is answered with 503. */
  failsOnce(page: number): boolean {
    return page % 97 === 5
  }

  /** Returns the delay before a page is answered. */
  delayMs(page: number): number {
    return page % 10 === 3 ? (page * 7919) % 30 : 0
  }

  /** Number of pages that are not answered with 404. */
  get reachable(): number {
    let count = 0
    for (let page = 0; page < this.shape.pages; page++) if (!this.isLost(page)) count++
    return count
  }

  /** Returns the HTML of a page. @param origin - returns the origin of a host, by its number. */
  html(page: number, origin: (host: number) => string): string {
    const { pages, pageBytes, textPercent, seed } = this.shape
    const random = seededRandom(seed, page + 1)
    const to = (target: number) => `<a href="${origin(this.hostOf(target))}/page/${target}">page ${target}</a>`
    const links: string[] = []
    for (let child = page * children + 1; child <= page * children + children && child < pages; child++)
      links.push(to(child))
    for (let i = 0; i < 5; i++) links.push(to(random.below(pages)))
    const own = origin(this.hostOf(page))
    const traps = [
      `${own}/calendar/${2030 + (page % 50)}/${1 + (page % 12)}`,
      `${own}/page/${page}?sid=${random.below(1e9)}`,
      `${own}/loop${'/a/b'.repeat(3 + (page % 5))}/`,
    ].map(url => `<a href="${url}">more</a>`)
    const around = (pageBytes * (100 - textPercent)) / 200
    const filled = (begun: string, pieces: readonly string[], bytes: number) => {
      let made = begun
      while (made.length < bytes) made += pieces[random.below(pieces.length)]
      return made
    }
    const scripts = filled('', this.#scripts, around)
    const title = `<title>Page ${page} of the synthetic web</title>`
    const head = `<!doctype html><html lang="en"><head>${title}${scripts}</head><body>`
    const nav = `<nav>${traps.join(' ')}</nav>`
    const list = `<ul>${links.map(link => `<li>${link}</li>`).join('')}</ul>`
    const text = filled(`<main><h1>Page ${page}</h1>\n`, this.#paragraphs, (pageBytes * textPercent) / 100)
    const footer = around === 0 ? '' : `<footer>${filled('', this.#tiles, around)}</footer>`
    return `${head}${nav}${text}${list}</main>${footer}</body></html>`
  }
}

/** Returns a script or a style sheet for the head of a page. */
function script(random: Random, word: () => string): string {
  const id = random.below(1e9)
  return random.below(2) === 0
    ? `<script>window.settings=Object.assign(window.settings||{},{"${word()}":{"id":${id},"path":"/${word()}/${word()}","on":true}})</script>\n`
    : `<style>.${word()}-${id}{display:flex;margin:0 auto 1.5rem;color:#${id.toString(16)}}@media(max-width:640px){.${word()}{padding:.5rem}}</style>\n`
}

/** Returns markup around the text of a page: nested boxes and pictures with few words. */
function tile(random: Random, word: () => string): string {
  const id = random.below(1e9)
  const picture = `<img src="/media/${word()}-${id}.jpg" alt="" width="320" height="180" loading="lazy">`
  const icon = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M${id % 24} 4h16v2H4zm0 7h16v2H4zm0 ${id % 7}h16v2H4z"/></svg>`
  return `<div class="tile tile-${word()}" data-id="${id}"><div class="tile-inner">${picture}<span class="icon">${icon}</span><span class="label">${word()}</span></div></div>\n`
}

function word(next: () => number): string {
  const syllables = 1 + Math.floor(next() * 4)
  let text = ''
  for (let i = 0; i < syllables; i++)
    text += 'bcdfghklmnprstvw'.charAt(Math.floor(next() * 16)) + 'aeiou'.charAt(Math.floor(next() * 5))
  return text
}
