import { clip } from '../characters/surrogates.ts'
import { nameOf } from '../html/class-evidence.ts'
import { findByAttribute, findByTag, mergeInPageOrder } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { isCoarse, parseMachineDate, parseTextDate, type WrittenDate } from '../written-dates/date-text.ts'
import type { DateSearch } from './date-search.ts'
import { datesByClass, isNamedModified, labelOf, MAX_TIMES } from './marked-dates.ts'
import { modifiedWords, type PublishedDate, publishedWords, withSource } from './published-date.ts'
import { isSubject } from './subject-dates.ts'

/**
 * Finds the publish date in boilerplate, for pages that show their own date in a sidebar. Returns the day of the dates
 * that are labeled as published or, without labels, the day of all marked dates. Returns undefined if the dates have
 * several days, because they then belong to other stories.
 */
export function fromBoilerplate({ tree, borrowed, orderAt }: DateSearch): PublishedDate | undefined {
  const days = new MarkedDays(tree)
  days.addElements(borrowed, orderAt)
  for (const { date, node } of datesByClass(tree, orderAt, borrowed)) days.add(node, date, false)
  return withSource(days.published.date ?? days.marked.date, 'text')
}

/**
 * Returns the only day of all `<time>` and microdata dates that are labeled as published; undefined if there are
 * several days.
 */
export function onlyPublishedDay({ tree, boilerplate, orderAt }: DateSearch): WrittenDate | undefined {
  const days = new MarkedDays(tree)
  days.addElements(boilerplate, orderAt)
  return days.published.date
}

class MarkedDays {
  /** The day of the dates that are labeled as published. */
  readonly published = new OnlyDay()
  /** The day of all dates that do not belong to other stories. */
  readonly marked = new OnlyDay()
  readonly #tree: HtmlTree

  constructor(tree: HtmlTree) {
    this.#tree = tree
  }

  /**
   * Adds the dates in `<time>` elements and microdata.
   *
   * @param masked - for each node, above 0 if its dates are left out.
   */
  addElements(masked: Uint8Array, orderAt: DateSearch['orderAt']): void {
    let seen = 0
    for (const node of mergeInPageOrder(findByAttribute(this.#tree, 'itemprop'), findByTag(this.#tree, 'time'))) {
      const isPublished = /(?:^|\s)datePublished(?:\s|$)/.test(clip(node.attributes.itemprop ?? '', 200))
      if ((node.tag !== 'time' && !isPublished) || masked[node.index]! > 0 || isNamedModified(node)) continue
      if (++seen > MAX_TIMES) return
      const value = node.attributes.datetime ?? node.attributes.content ?? textOf(this.#tree, node, 200)
      this.add(node, parseMachineDate(value) ?? parseTextDate(value, orderAt(node)), isPublished)
    }
  }

  add(node: HtmlNode, date: WrittenDate | undefined, isPublished: boolean): void {
    const label = date ? labelOf(this.#tree, node) : ''
    if (!date || modifiedWords.test(label) || isOfComment(node) || isSubject(this.#tree, node)) return
    if (!isOfStory(this.#tree, node)) this.marked.add(date)
    if (isPublished || publishedWords.test(label)) this.published.add(date)
  }
}

const MAX_LEVELS = 32
const MAX_STORY_LEVELS = 4
const MAX_STORY_NODES = 60

/** True if a date is in a comment or a related story. */
function isOfComment(node: HtmlNode): boolean {
  for (let up = node.parent, level = 0; up && level < MAX_LEVELS; up = up.parent, level++) {
    if (nameOf(up).boilerplate === 2) return true
  }
  return false
}

/** True if a date is next to the link or heading of another story. */
function isOfStory(tree: HtmlTree, node: HtmlNode): boolean {
  for (let up = node.parent, level = 0; up && level < MAX_STORY_LEVELS; up = up.parent, level++) {
    if (up.tag === 'a') return true
    if (up.end - up.index > MAX_STORY_NODES) return false
    for (let i = up.index; i < up.end; i++) if (storyHeadings.has(tree.nodes[i]!.tag)) return true
  }
  return false
}

const storyHeadings = new Set(['h3', 'h4', 'h5', 'h6'])

/** Collects dates. `date` is the first of them if all have the same day; otherwise undefined. */
class OnlyDay {
  #date: WrittenDate | undefined
  #areSeveral = false

  get date(): WrittenDate | undefined {
    return this.#areSeveral ? undefined : this.#date
  }

  add(date: WrittenDate | undefined): void {
    if (!date || isCoarse(date)) return
    this.#date ??= date
    this.#areSeveral ||= this.#date.iso.slice(0, 10) !== date.iso.slice(0, 10)
  }
}
