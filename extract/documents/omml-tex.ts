import { localName, readXml } from '../html/xml-reader.ts'

const MAX_TEX_CHARS = 10_000
/**
 * Elements with a part of an operator, such as a numerator, which are kept apart until the operator is written. The content of other
 * elements is added to the text around them.
 */
const operands = new Set(['e', 'num', 'den', 'sub', 'sup', 'deg', 'lim', 'fname', 'mr'])
const bigOperators: Readonly<Record<string, string>> = {
  '∑': '\\sum',
  '∏': '\\prod',
  '∐': '\\coprod',
  '∫': '\\int',
  '∬': '\\iint',
  '∭': '\\iiint',
  '∮': '\\oint',
  '⋃': '\\bigcup',
  '⋂': '\\bigcap',
}
const accents: Readonly<Record<string, string>> = {
  '\u0302': '\\hat',
  '\u0303': '\\tilde',
  '\u0304': '\\bar',
  '\u0305': '\\overline',
  '\u0307': '\\dot',
  '\u0308': '\\ddot',
  '\u20d7': '\\vec',
  '¯': '\\bar',
  '^': '\\hat',
  '~': '\\tilde',
  '→': '\\vec',
}
const functionName =
  /^(?:arc)?(?:sin|cos|tan)h?$|^(?:cot|sec|csc|log|ln|lim|max|min|sup|inf|exp|det|dim|gcd|arg|deg|ker)$/

/** An element that is open. */
interface Open {
  name: string
  tex: string
  operands: Map<string, string[]>
  /** The values of its properties, such as `chr`, the character of an operator. */
  properties: Map<string, string>
}

/** Converts an equation of an Office document (OMML, ECMA-376 part 1, 22.1) to TeX on one line. */
export function texOf(omml: string): string {
  const root: Open = openElement('')
  const stack = [root]
  let chars = 0
  let deleted = 0
  readXml(omml, {
    open: (qualified, attributes) => {
      const name = localName(qualified)
      if (name === 'del' || name === 'movefrom') deleted++
      const value = attributes['m:val'] ?? attributes.val
      const owner = stack.findLast(open => !open.name.endsWith('pr'))
      if (value !== undefined || name === 'nor') owner?.properties.set(name, value ?? '')
      // If the declared character of an operator is empty, the operator is written without a character, not with the default one.
      else if (name.endsWith('chr') && name !== 'groupchr') owner?.properties.set(name, '')
      stack.push(openElement(name))
    },
    close: qualified => {
      const name = localName(qualified)
      if (name === 'del' || name === 'movefrom') deleted--
      const ended = stack.pop()
      const parent = stack.at(-1)
      if (!ended || !parent) return
      const tex = written(ended)
      if (operands.has(name)) {
        const all = parent.operands.get(name) ?? []
        all.push(tex)
        parent.operands.set(name, all)
      } else parent.tex = joined(parent.tex, tex)
    },
    text: text => {
      const open = stack.at(-1)
      if (open?.name !== 't' || deleted > 0 || chars > MAX_TEX_CHARS) return
      chars += text.length
      open.tex += text.replace(/[\\{}%#&$~]/g, escaped)
    },
  })
  while (stack.length > 1) {
    const ended = stack.pop()!
    const parent = stack.at(-1)!
    parent.tex = joined(parent.tex, written(ended))
  }
  return root.tex.replace(/\s+/g, ' ').trim()
}

function openElement(name: string): Open {
  return { name, tex: '', operands: new Map(), properties: new Map() }
}

function written({ name, tex, operands, properties }: Open): string {
  const first = (operand: string) => operands.get(operand)?.[0] ?? ''
  const all = (operand: string) => operands.get(operand) ?? []
  const isOn = (property: string) => /^(?:1|on|true)?$/.test(properties.get(property) ?? 'off')
  switch (name) {
    case 'r':
      return properties.has('nor') && isOn('nor') && /\p{L}/u.test(tex) ? `\\text{${tex}}` : tex
    case 'f':
      return fraction(first('num'), first('den'), properties.get('type')?.toLowerCase())
    case 'ssup':
      return `${base(first('e'))}^${script(first('sup'))}`
    case 'ssub':
      return `${base(first('e'))}_${script(first('sub'))}`
    case 'ssubsup':
      return `${base(first('e'))}_${script(first('sub'))}^${script(first('sup'))}`
    case 'spre':
      return `{}_${script(first('sub'))}^${script(first('sup'))}${base(first('e'))}`
    case 'rad': {
      const degree = isOn('deghide') ? '' : first('deg')
      return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${first('e')}}`
    }
    case 'nary': {
      const sign = properties.get('chr') ?? '∫'
      const [below, above] = [isOn('subhide') ? '' : first('sub'), isOn('suphide') ? '' : first('sup')]
      const limits = `${below === '' ? '' : `_${script(below)}`}${above === '' ? '' : `^${script(above)}`}`
      return `${bigOperators[sign] ?? sign}${limits} ${first('e')}`
    }
    case 'd': {
      const separator = properties.get('sepchr') ?? '|'
      const [begin, end] = [properties.get('begchr') ?? '(', properties.get('endchr') ?? ')']
      return `${begin.replace(/[{}]/g, '\\$&')}${all('e').join(separator)}${end.replace(/[{}]/g, '\\$&')}`
    }
    case 'mr':
      return all('e').join(' & ')
    case 'm':
      return `\\begin{matrix} ${all('mr').join(' \\\\ ')} \\end{matrix}`
    case 'eqarr':
      return all('e').length === 1
        ? first('e')
        : `\\begin{aligned} ${all('e').join(' \\\\ ')} \\end{aligned}`.replaceAll('\\&', '&')
    case 'func':
      return joined(functionOf(first('fname')), ` ${first('e')}`)
    case 'limlow':
      return `${functionOf(first('e'))}_${script(first('lim'))}`
    case 'limupp':
      return `${base(functionOf(first('e')))}^${script(first('lim'))}`
    case 'acc':
      return `${accents[properties.get('chr') ?? '\u0302'] ?? '\\hat'}{${first('e')}}`
    case 'bar':
      return `${properties.get('pos') === 'top' ? '\\overline' : '\\underline'}{${first('e')}}`
    default:
      return `${tex}${[...operands.values()].flat().join('')}`
  }
}

function fraction(numerator: string, denominator: string, type = 'bar'): string {
  if (type === 'nobar') return `{${numerator} \\atop ${denominator}}`
  if (type === 'lin' || type === 'skw') return `${base(numerator)}/${base(denominator)}`
  return `\\frac{${numerator}}{${denominator}}`
}

/** Returns a function's name as a command of TeX, if it has one. */
function functionOf(name: string): string {
  const [word = ''] = /^\w+/.exec(name) ?? []
  return functionName.test(word) ? `\\${name}` : name
}

/** Puts braces around TeX, unless it is one number, name, character or parenthesis. */
function base(tex: string): string {
  return /^(?:\d+(?:[.,]\d+)*|\p{L}*|\([^()]*\)|[^\\])$/u.test(tex) ? tex : `{${tex}}`
}

/** Puts braces around TeX, unless it is one character. */
function script(tex: string): string {
  return [...tex].length === 1 ? tex : `{${tex}}`
}

/** Appends TeX. Puts a space between a command and a letter after it. */
function joined(before: string, after: string): string {
  return /\\[a-z]+$/i.test(before.slice(-20)) && /^[a-z]/i.test(after) ? `${before} ${after}` : before + after
}

function escaped(char: string): string {
  return char === '\\' ? '\\backslash ' : char === '~' ? '\\sim ' : `\\${char}`
}
