/**
 * The rules that drop text, from the most certain to the one in most doubt. A node that is dropped has the
 * {@link ruleNumber} of its rule.
 */
export const droppingRules = [
  'hidden parts',
  'machine values',
  'controls',
  'forum notices',
  'navigation',
  'names of navigation',
  'comments',
  'beside the content',
  'next articles',
  'teasers',
  'author notes',
  'lists of links',
  'headings of asides',
  'repeated title',
  'repeated text',
] as const

/**
 * A rule that drops text: `hidden parts` what browsers do not show; `machine values` microdata such as addresses of
 * images; `controls` buttons and forms; `forum notices` what a forum says about posters; `navigation` what has a tag for
 * it, also headers, footers and asides; `names of navigation` what has a class, id or role for it, also advertisements
 * and share buttons; `comments`; `beside the content` what is outside of the chosen article or main element; `next
 * articles` and `teasers` other articles of the site; `author notes`; `lists of links`; `headings of asides` what stands
 * under a heading such as "Related"; `repeated title` the heading that repeats the page's title; `repeated text` copies.
 */
export type DroppingRule = (typeof droppingRules)[number]

/** Marks scripts, styles and other elements whose text is never shown. No rule: it cannot be undone. */
export const NEVER_SHOWN = 254
/** Marks captions, which are not dropped but written with their images. */
export const CAPTION = 255

/** Returns the number by which a dropped node names its rule, at least 1. */
export function ruleNumber(rule: DroppingRule): number {
  return droppingRules.indexOf(rule) + 1
}
