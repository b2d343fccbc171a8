import type { Snippet } from '@asof/core'

/** The snippet with every matched word in `**…**`. The markers come on top of the length asked for. */
export function markSnippet({ text, highlights }: Snippet): string {
  let marked = ''
  let end = 0
  for (const [from, to] of highlights) {
    marked += `${text.slice(end, from)}**${text.slice(from, to)}**`
    end = to
  }
  return marked + text.slice(end)
}
