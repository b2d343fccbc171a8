import { visibleText } from '../visible-text.ts'

/**
 * A snippet: text in which the words that matched are between `**` and `**`. A page may contain asterisks of its own; then some words are
 * marked that did not match, and nothing worse happens, because the text never becomes markup.
 */
export function Highlighted({ text }: { text: string }) {
  return (
    <>
      {visibleText(text)
        .split('**')
        .map((part, index) =>
          // Parts alternate: the odd ones matched.
          index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
        )}
    </>
  )
}
