import { isDeepStrictEqual } from 'node:util'
import type { Reader } from '../../service/index.ts'

/** Rewords a guide. Returns it unchanged if that fails. */
export type Wording = (guide: string) => Promise<string>

const instruction =
  'Reword this advice so that it is short and friendly, in English, as Markdown. Copy every line that has a number, a price, an id, an address, a link, a table or code, in its order and without any change. Add no such lines. Reword only the other lines.'

/** Maximum length of a reworded guide, as a multiple of the guide. */
const MAX_GROWTH = 2

/** Matches facts: code, tables, targets of links, markup, addresses, host names, and numbers. */
const fact = /[`|<\d$]|\]\(|:\/\/|\w\.[a-z]{2,}/i
const fence = /^\s*(?:```|~~~)/

/** Returns the lines of a text that have facts, and all lines of code blocks. */
function factLines(text: string): string[] {
  let inCode = false
  return text.split('\n').filter(line => {
    const isFence = fence.test(line)
    if (isFence) inCode = !inCode
    return inCode || isFence || fact.test(line)
  })
}

/** Returns true if a text has the same lines with facts as the guide, in the same order, and is not too long. */
function keepsFacts(guide: string, text: string): boolean {
  return text.length <= guide.length * MAX_GROWTH && isDeepStrictEqual(factLines(text), factLines(guide))
}

/**
 * Rewords guides with a language model. The goal in a guide is untrusted, and a model may follow instructions in it. So a
 * reworded guide is used only if its lines with facts (such as numbers and addresses) are those of the original guide.
 */
export function wordingOf(reader: Reader): Wording {
  return async guide => {
    try {
      const { content } = await reader.read({ url: 'about:blank', title: 'Advice', markdown: guide }, instruction)
      return keepsFacts(guide, content) ? content : guide
    } catch {
      // The guide is complete without the model. The operator sees failures in the log of the model.
      return guide
    }
  }
}
