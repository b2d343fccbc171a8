import { isDeepStrictEqual } from 'node:util'
import type { Reader } from '../../use-cases/reader.ts'

/** Rewords a guide. Returns it unchanged if that fails. */
export type Wording = (guide: string) => Promise<string>

const instruction =
  'Reword this advice so that it is short and friendly, in English, as Markdown. Copy every line that has a number, a price, an id, an address, a link, a table or code, in its order and without any change. Add no such lines. Reword only the other lines.'

/** A reworded guide may be this many times as long. */
const MAX_GROWTH = 2

/** Pieces of code, tables, targets of links, markup, addresses, names of hosts, and numbers. */
const fact = /[`|<\d$]|\]\(|:\/\/|\w\.[a-z]{2,}/i
const fence = /^\s*(?:```|~~~)/

/** The lines with facts, and all lines of blocks of code. */
function factLines(text: string): string[] {
  let inCode = false
  return text.split('\n').filter(line => {
    const isFence = fence.test(line)
    if (isFence) inCode = !inCode
    return inCode || isFence || fact.test(line)
  })
}

/** True if a text has exactly the lines with facts that the guide has, in their order, and a bounded length. */
function keepsFacts(guide: string, text: string): boolean {
  return text.length <= guide.length * MAX_GROWTH && isDeepStrictEqual(factLines(text), factLines(guide))
}

/**
 * Rewords guides with a language model. The goal in a guide is untrusted, so the model may obey it instead. A text in which
 * any line with a fact differs from the guide is not used, so the model rewords only sentences without facts.
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
