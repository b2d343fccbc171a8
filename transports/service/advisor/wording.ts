import type { Reader } from '../use-cases/reader.ts'

/** Rewords a guide. Returns it unchanged if that fails. */
export type Wording = (guide: string) => Promise<string>

const instruction =
  'Reword this advice so that it is short and friendly, in English, as Markdown. Keep its headings, tables, code blocks, numbers, prices, ids and addresses exactly as they are. Add no facts, numbers or offers.'

/** A reworded guide may be this many times as long. */
const MAX_GROWTH = 2

/** Blocks of code, lines of tables, pieces of code, targets of links, names of hosts, and amounts. */
const facts =
  /^```[\s\S]*?^```|^\|.*\|$|`[^`\n]+`|\]\([^)]*\)|<[^>]*>|[a-z]+:\/\/\S+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|\$?\d[\d.,]*\d|\d/gim

/** True if a text has every fact of the guide verbatim, no amount that the guide lacks, and a bounded length. */
function keepsFacts(guide: string, text: string): boolean {
  if (text.length > guide.length * MAX_GROWTH) return false
  const given = new Set(guide.match(facts))
  return [...given].every(fact => text.includes(fact)) && (text.match(facts) ?? []).every(fact => guide.includes(fact))
}

/**
 * Rewords guides with a language model. A guide whose facts the model changed is not used. The goal in a guide is untrusted,
 * so the model may obey it; the facts that it could change are those that are checked.
 */
export function wordingOf(reader: Reader): Wording {
  return async guide => {
    try {
      const { content } = await reader.read({ url: 'about:blank', title: 'Advice', markdown: guide }, instruction)
      return keepsFacts(guide, content) ? content : guide
    } catch {
      // The advice is complete without the model, whose failures the operator sees in the log of the model.
      return guide
    }
  }
}
