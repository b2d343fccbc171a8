const cdata = '<![CDATA['
/** Ends at the next `>` like any markup declaration that HTML doesn't know, and is as long. */
const declaration = '<!?CDATA['

const marks = /<(\/?)(script|style|textarea|title|xmp|iframe|noembed|noframes|svg|math)(?![\w-])|<!--|-->|<!\[CDATA\[/gi

/**
 * HTML knows CDATA sections in SVG and MathML alone; elsewhere `<![CDATA[` is a comment up to the next `>`
 * (HTML 13.2.5.42). The tokenizer can't know where it is and would take all up to `]]>` or the page's end. Such openings
 * become declarations here, in one pass, positions kept; what scripts and comments hold stays as written.
 */
export function closeStrayCdata(source: string): string {
  const parts: string[] = []
  let written = 0
  let inside = ''
  let foreign = 0
  for (const { 0: mark, 1: slash, 2: name, index } of source.matchAll(marks)) {
    const tag = name?.toLowerCase() ?? ''
    if (inside !== '') {
      if (mark === inside || (slash === '/' && tag === inside)) inside = ''
    } else if (mark === '<!--') inside = '-->'
    else if (tag === 'svg' || tag === 'math') foreign = Math.max(0, foreign + (slash === '/' ? -1 : 1))
    else if (tag !== '') inside = slash === '/' ? '' : tag
    else if (mark === cdata && foreign === 0) {
      parts.push(source.slice(written, index), declaration)
      written = index + cdata.length
    }
  }
  return parts.length === 0 ? source : parts.join('') + source.slice(written)
}
