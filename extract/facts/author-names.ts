import { collapse } from '../html/html-tree.ts'
import { monthOf } from '../written-dates/month-names.ts'

export const MAX_AUTHORS = 20
export const MAX_NAME_CHARS = 100

/**
 * Matches words before a name, such as `Recipe by`, `View all posts by` or `Text und Interview:`. A `von` inside a name
 * belongs to the name.
 */
const prefix =
  /^(?:(?:[\p{L}\p{M}]+[\s/]+){0,4}by\b\s*:?\s+|(?:(?:zeige alle )?(?:artikel|beiträge|posts?|geschrieben|verfasst|pressemitteilung|écrit|publié|escrito|publicado|scritto|pubblicato|geschreven)\s+)?(?:von|par|por|di|door|av|af|przez)\s*:?\s+|(?:authors?|autor(?:in|en)?|auteure?|autore|text(?: und [\p{L}\p{M}]+)?|words|redaktion|redactie|quelle|fuente)\s*:\s*|(?:author|autor|auteur|autore)\s+)/iu
/** Matches text after a name that is not part of it, such as a role. */
const suffix =
  /[\s.,]+(?:(?:medically |fact[- ])?(?:reviewed|checked|edited|updated|published|posted|photographs?|translated|illustrated) (?:by|on)\b|(?:updated|published|posted|follow|last modified|min read|share)\b.*$)/iu
const notNames =
  /^(?:admin|administrator|editor|editors|editorial|staff|webmaster|authors?|unknown|anonymous|none|null|undefined|guest|team|user|root|redaktion|n\/a|\d+|by|written|posted|published|publiziert|veröffentlicht|contributors?|more|read more|follow|share|home|about|comments?|profile|login)$/i
const notNameEnd = /\s(?:am|on|by|von|par|le|in|at|the|and|und)$/i

/**
 * Removes prefixes, dates, addresses, handles and roles from names. Drops names that cannot be those of people or
 * organizations.
 */
export function cleanNames(names: readonly string[], siteName: string | undefined): string[] {
  const kept = new Map<string, string>()
  const site = siteName?.toLowerCase()
  for (const raw of names.slice(0, MAX_AUTHORS)) {
    if (raw.length > 400) continue
    const parts = collapse(raw).split(/\s*[;|•·]\s*|\s+[–—-]\s+|\s+(?:on|am|le)\s+(?=\d|\p{Lu})/u, 3)
    // For `The Daily - Ann Lee`, where the first part is the site's name, the second part is the author.
    const [first = '', second] = parts
    const name = cleanName(second !== undefined && first.toLowerCase() === site ? second : first)
    if (name === undefined) continue
    if (name.toLowerCase() === site && names.length > 1) continue
    if (!kept.has(name.toLowerCase())) kept.set(name.toLowerCase(), name)
  }
  return [...kept.values()]
}

function cleanName(text: string): string | undefined {
  let name = text.replace(/^[\s–—:,-]+/, '').replace(prefix, '')
  name = name.replace(/^by:?\s+/i, '')
  name = name.replace(/<[^<>]{0,100}>|\([^()]{0,100}\)|\S{1,64}@\S{0,64}/g, ' ')
  const end = suffix.exec(name)
  if (end) name = name.slice(0, end.index)
  name = collapse(withoutDate(name)).replace(/^[@,:\s]+|[\s,:;/-]+$/g, '')
  if (name.length < 2 || name.length > MAX_NAME_CHARS || /https?:|www\.|[{}<>[\]]/.test(name)) return undefined
  if (notNames.test(name) || notNameEnd.test(name) || !/\p{L}/u.test(name)) return undefined
  return name
}

/** Removes a date after a name: `Ann Lee December 18, 2025`, `Ann Lee 2025-12-18`. */
function withoutDate(name: string): string {
  const digit = /[\s,]\s*\d/.exec(name)
  if (!digit || digit.index < 3) return name
  const before = name.slice(0, digit.index).trimEnd()
  const last = /[\s,]([\p{L}\p{M}]+)\.?$/u.exec(before)
  return last && monthOf(last[1] ?? '') !== undefined ? before.slice(0, last.index) : before
}

/** True for two to four words with capital initials, the form of most people's names. */
export function isPersonName(text: string): boolean {
  return /^\p{Lu}[\p{L}\p{M}.'’-]*(?:\s(?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|zu|ter|bin|al)\s){0,2}\p{Lu}[\p{L}\p{M}.'’-]*){1,3}$/u.test(
    text,
  )
}
