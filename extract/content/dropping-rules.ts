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
 * A rule that drops text:
 *
 * - `hidden parts`: what browsers do not show
 * - `machine values`: microdata for programs, such as addresses of images
 * - `controls`: buttons and forms
 * - `forum notices`: what a forum says about posters
 * - `navigation`: elements whose tag means navigation, a header, a footer or an aside
 * - `names of navigation`: elements whose class, id or role means navigation, advertisements or share buttons
 * - `comments`: comments of readers
 * - `beside the content`: what is outside of the chosen article or main element
 * - `next articles`, `teasers`: other articles of the site
 * - `author notes`: notes about the author
 * - `lists of links`: links to other pages
 * - `headings of asides`: headings such as "Related", with what follows them
 * - `repeated title`: the heading that repeats the title of the page
 * - `repeated text`: copies of a text
 */
export type DroppingRule = (typeof droppingRules)[number]

/** Marks scripts, styles and other elements whose text is never shown. It is not the number of a rule, because it cannot be undone. */
export const NEVER_SHOWN = 254
/** Marks captions, which are not dropped but written with their images. */
export const CAPTION = 255

/** Returns the number of a rule, at least 1. Each node that the rule drops has this number. */
export function ruleNumber(rule: DroppingRule): number {
  return droppingRules.indexOf(rule) + 1
}
