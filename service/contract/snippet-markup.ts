import type { Snippet } from '@asof/core'

/** Puts every matched word of a snippet in `**…**`. The markers do not count towards the snippet's length. */
export function markSnippet({ text, highlights }: Snippet): string {
  let marked = ''
  let end = 0
  for (const [from, to] of highlights) {
    marked += `${text.slice(end, from)}**${text.slice(from, to)}**`
    end = to
  }
  return marked + text.slice(end)
}
