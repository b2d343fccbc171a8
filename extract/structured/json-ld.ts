import { JSONRepairError, jsonrepair } from 'jsonrepair'
import type { StructuredItem } from '../page.ts'
import { parseJsonWithDigits } from './exact-json.ts'

const MAX_BLOCKS = 50
const MAX_BLOCK_CHARS = 2 * 1024 * 1024
const MAX_DEPTH = 64
const MAX_FLAT_ITEMS = 2000
/** Maximum length of invalid JSON that is repaired. */
const MAX_REPAIRED_CHARS = 256 * 1024

/**
 * Returns the items of a page's JSON-LD scripts in page order, without arrays and `@graph`s around them. Skips scripts
 * that cannot be repaired, are longer than 2 MiB or nest deeper than 64 levels. An integer that would be rounded, because a number has too
 * few digits for it, is a string of its digits.
 */
export function parseJsonLd(scripts: readonly string[]): StructuredItem[] {
  const items: StructuredItem[] = []
  for (const script of scripts.slice(0, MAX_BLOCKS)) {
    const pending: unknown[] = [parseBlock(script)]
    while (pending.length > 0 && items.length < MAX_FLAT_ITEMS) {
      const value = pending.pop()
      if (Array.isArray(value)) pending.push(...value.slice(0, MAX_FLAT_ITEMS).reverse())
      else if (isItem(value)) {
        const graph = value['@graph']
        if (Array.isArray(graph)) pending.push(...graph.slice(0, MAX_FLAT_ITEMS).reverse())
        else if (isItem(graph)) pending.push(graph)
        if (value['@type'] !== undefined) items.push(value)
      }
    }
  }
  return items
}

/** True for an object, which can be an item. */
export function isItem(value: unknown): value is StructuredItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the types of an item, without the URL of the vocabulary. */
export function typesOf(item: StructuredItem): string[] {
  const type = item['@type']
  const list = Array.isArray(type) ? type.slice(0, 20) : [type]
  return list.filter(name => typeof name === 'string').map(name => name.slice(name.lastIndexOf('/') + 1))
}

function parseBlock(script: string): unknown {
  if (script.length > MAX_BLOCK_CHARS || depthOf(script) > MAX_DEPTH) return undefined
  const text = unwrap(script)
  if (text === '') return undefined
  try {
    return parseJsonWithDigits(text)
  } catch {
    return parseRepaired(text)
  }
}

/** Parses invalid JSON with common errors: raw line breaks in strings, trailing commas, comments, escaped quotes. */
function parseRepaired(text: string): unknown {
  try {
    // Raw line breaks and tabs in strings are the most common error.
    return parseJsonWithDigits(text.replace(/[\u0000-\u001f]+/g, ' '))
  } catch {
    if (text.length > MAX_REPAIRED_CHARS) return undefined
  }
  try {
    const json = jsonrepair(text.includes('"') ? text : text.replaceAll('&quot;', '"'))
    return depthOf(json) > MAX_DEPTH ? undefined : parseJsonWithDigits(json)
  } catch (error) {
    // The script is no JSON. The page is extracted without it.
    if (error instanceof JSONRepairError || error instanceof SyntaxError || error instanceof RangeError)
      return undefined
    throw error
  }
}

/** Removes an HTML comment or CDATA section around JSON, and a semicolon after it. */
function unwrap(script: string): string {
  const open = script.search(/[[{]/)
  if (open < 0) return ''
  const close = Math.max(script.lastIndexOf('}'), script.lastIndexOf(']]>') >= 0 ? -1 : script.lastIndexOf(']'))
  const start =
    script.slice(0, open).includes('CDATA') || script.startsWith('[CDATA', open) ? script.indexOf('{', open) : open
  return start < 0 || close < start ? '' : script.slice(start, close + 1)
}

/** Returns the maximum depth of brackets outside of strings. Deep values would overflow the stack later. */
function depthOf(script: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < script.length; i++) {
    const code = script.charCodeAt(i)
    if (inString) {
      if (code === 0x5c) i++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}
