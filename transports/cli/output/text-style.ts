/** Functions that emphasize parts of a text for a reader. */
interface TextStyle {
  strong(text: string): string
  faint(text: string): string
}

const colored: TextStyle = {
  strong: text => `\x1b[1m${text}\x1b[22m`,
  faint: text => `\x1b[2m${text}\x1b[22m`,
}

const plain: TextStyle = { strong: text => text, faint: text => text }

/** @param color - true for a terminal that shows styles. */
export function textStyle(color: boolean): TextStyle {
  return color ? colored : plain
}
