/** Characters that Unicode has in raised and in lowered form. */
const plain = '0123456789+-=()abcdefghijklmnoprstuvwxyzβγδθρφχABDEGHIJKLMNOPRTUVW'
const raisedForms = [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵝᵞᵟᶿ ᵠᵡᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ']
const loweredForms = [...'₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐ   ₑ  ₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥ ₓ  ᵦᵧ  ᵨᵩᵪ']
const raisedChars = formsOf(raisedForms)
const loweredChars = formsOf(loweredForms)

function formsOf(forms: readonly string[]): ReadonlyMap<string, string> {
  const known = [...plain].map((char, at) => [char, forms[at] ?? ' '] as const).filter(([, form]) => form !== ' ')
  return new Map([...known, ...known.filter(([char]) => char === '-').map(([, form]) => ['−', form] as const)])
}

/** Maximum length of an exponent or index. Longer text is a remark in small letters. */
const MAX_CHARS = 24

/** Returns an exponent: in raised characters if Unicode has all of them, else as `^6` or `^{n/2}`. */
export function exponent(text: string): string {
  return written(text, raisedChars, '^')
}

/** Returns an index: in lowered characters if Unicode has all of them, else as `_q` or `_{a,b}`. */
export function subscript(text: string): string {
  return written(text, loweredChars, '_')
}

function written(text: string, forms: ReadonlyMap<string, string>, sign: string): string {
  const chars = [...text.replace(/\s+/g, '')]
  if (chars.length <= MAX_CHARS && chars.every(char => forms.has(char)))
    return chars.map(char => forms.get(char)).join('')
  return chars.length === 1 ? `${sign}${text.trim()}` : `${sign}{${text.trim()}}`
}

/** A raised or lowered text and its surroundings on the same line. */
export interface ScriptText {
  /** The text with white space collapsed. */
  text: string
  /** The end of the text before it. A reference mark directly before it is not included. */
  before: string
  /** The beginning of the text after it. */
  after: string
  /** True if the page marks it as a reference: it is a link, or its name says so. */
  isReference: boolean
  /** True if the text before it is italic, as variables are. */
  isAfterItalics: boolean
}

/**
 * How a raised or lowered text is written. `text` replaces it. A `mark` refers to a note, and is written in brackets. A
 * `remark` is ordinary text, which is kept apart from the word before it.
 */
export type ScriptForm = { kind: 'text'; text: string } | { kind: 'mark' } | { kind: 'remark' }

const REMARK: ScriptForm = { kind: 'remark' }
const MARK: ScriptForm = { kind: 'mark' }

/** Matches marks of notes, such as `1`, `[2]`, `a,b`, `1–3` and `iv`. */
const noteMark = /^[[(]?\s?(?:\d{1,4}|[a-z]|[ivx]{1,5})(?:\s?[,;–-]\s?(?:\d{1,4}|[a-z])){0,8}\s?[\])]?$/i
const signMark = /^[*†‡§¶#°º′″'"’”™®©℠]{1,4}$/
const numeric = /^[+−-]?\d[\d.,]*[+−-]?$|^[+−-]$/
/** Ends of ordinal numbers in English, French, Spanish, Italian and Portuguese. */
const ordinalEnds =
  /^(?:st|nd|rd|th|er|ers|re|res|ère|nde?|e|es|ème|ième|me|ma|mo|ro|ra|do|da|to|ta|vo|va|no|na|os|as)$/i
const units = /(?:^|[^\p{L}])(?:[kcdmnµμ]?m|in|ft|yd|mi|mile|mill?as?|s|sec|min|h|g|kg|mol|K|Hz|L|l|dl|mL|ml)$/u
const functions = /(?:^|[^\p{L}])(?:a?(?:sin|cos|tan)h?|cot|sec|csc|log|ln|lg|exp|det|dim|lim|max|min)$/u
const currencies = /\p{Sc}|(?:^|\P{L})(?:kr|zł|Kč|Ft|lei|EUR|USD|CHF)(?:\P{L}|$)/u

/** Says how a raised text is written. */
export function raisedForm(raised: ScriptText): ScriptForm {
  const { text, before, after, isReference } = raised
  if (text === '') return { kind: 'text', text }
  if (signMark.test(text) || /^[\p{Sc}\p{P}\s]+$/u.test(text)) return { kind: 'text', text }
  if (/^(?:TM|SM|\(R\)|\(TM\))$/i.test(text)) return { kind: 'text', text: tradeMark(text) }
  if (isReference || (text.startsWith('[') && text.endsWith(']'))) return noteMark.test(text) ? MARK : REMARK
  const last = /[\p{L}\p{M}]+$|\p{N}+$|[^\s\p{L}\p{M}\p{N}]$/u.exec(before)?.[0] ?? ''
  if (/^\p{N}/u.test(last)) return afterNumber(raised)
  if (text.length > MAX_CHARS || /\p{L}{2,}\s+\p{L}{2,}/u.test(text)) return REMARK
  const isNumber = numeric.test(text)
  if (last === '') {
    if (isNumber && (isNuclide(text, after) || /(?:^|\D)10\s$/.test(before)))
      return { kind: 'text', text: exponent(text) }
    return noteMark.test(text) ? MARK : REMARK
  }
  if (/^\p{L}/u.test(last)) {
    if (isPower(raised, last, isNumber)) return { kind: 'text', text: exponent(text) }
    if (/^\p{L}{1,4}$/u.test(text) && isAbbreviation(last, text, after)) return { kind: 'text', text }
    return noteMark.test(text) ? MARK : REMARK
  }
  if (/[)\]}|⟩]$/.test(last) && !/^\p{L}{2,}$/u.test(text)) return { kind: 'text', text: exponent(text) }
  // After the end of a sentence or a quotation, it is a note.
  return noteMark.test(text) ? MARK : REMARK
}

function tradeMark(text: string): string {
  return /r/i.test(text) ? '®' : /s/i.test(text) ? '℠' : '™'
}

/** After digits: the end of an ordinal number, the cents of a price, or an exponent. */
function afterNumber({ text, before, after }: ScriptText): ScriptForm {
  if (ordinalEnds.test(text) || /^[.,]\d/.test(text)) return { kind: 'text', text }
  if (text === 'o' || text === 'a') return { kind: 'text', text: text === 'o' ? 'º' : 'ª' }
  if (/^\d\d$/.test(text)) {
    const number = /[\d.,\s]+$/.exec(before)?.[0] ?? ''
    const isPriceAfter = currencies.test(before.slice(0, before.length - number.length).slice(-5))
    if (isPriceAfter) return { kind: 'text', text: `.${text}` }
    if (currencies.test(after.trim().slice(0, 3))) return { kind: 'text', text: `,${text}` }
  }
  if (/\p{L}{3,}/u.test(text) || text.length > MAX_CHARS) return REMARK
  return { kind: 'text', text: exponent(text) }
}

/** True if a word can have an exponent: a unit, a variable, a function, or an ion. */
function isPower({ text, before, after, isAfterItalics }: ScriptText, word: string, isNumber: boolean): boolean {
  if (isNumber && /[+−-]/.test(text)) return true
  if ([...word].length === 1) {
    // `Mme` and `Dr` are no powers, `e^{kt}` is one.
    return !/^\p{L}{2,}$/u.test(text) || /^\p{Ll}$/u.test(word)
  }
  if (functions.test(before)) return isNumber || /^[a-z]$/.test(text)
  if (/^\p{L}{2,}$/u.test(text) || !/^[\d\p{L}+−=/-]+$/u.test(text)) return false
  if (isNumber && units.test(before) && /^[2-4]$/.test(text)) return true
  if (isAfterItalics && word.length <= 3) return true
  if (word.length > 3) return false
  if (/[\u0370-\u03ff]/.test(word)) return true
  // Products of variables, such as `mc²`. Nearly every word has a vowel.
  if (word.length === 2 && /^[b-df-hj-np-tv-xz]{2}$/.test(word)) return true
  return isNumber && /^\s*[+−=×-]/.test(after) && /^[A-Z]{2}$/.test(word)
}

/** True for the raised end of an abbreviated word, such as `Mme`, `McDonald`, `XXe` and `No`. */
function isAbbreviation(word: string, text: string, after: string): boolean {
  if (word.length <= 2 && /^\p{L}/u.test(after)) return true
  if (/^[IVXLCDM]+$/.test(word)) return ordinalEnds.test(text) || /^[oa]$/.test(text)
  return /^\p{Lu}$/u.test(word) && /^\p{Ll}{2,}$/u.test(text)
}

/** The chemical elements by their atomic number. */
const elements =
  ' H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm'.split(
    ' ',
  )

/**
 * True for the mass number before the symbol of an element, or before the atomic number and the symbol. It is between one and three times
 * the atomic number.
 */
function isNuclide(text: string, after: string): boolean {
  const [, number = '', symbol] = /^(\d{0,3})([A-Z][a-z]?)(?!\p{L})/u.exec(after) ?? []
  const protons = symbol === undefined ? -1 : elements.indexOf(symbol)
  const mass = Number(text)
  if (number !== '' && Number(number) !== protons) return false
  return protons > 0 && mass >= protons && mass <= protons * 3 + 1
}

/** Says how a lowered text is written. */
export function loweredForm({ text, before, isReference }: ScriptText): ScriptForm {
  if (isReference) return noteMark.test(text) ? MARK : REMARK
  const word = /[\p{L}\p{M}]+$/u.exec(before)?.[0] ?? ''
  if (text.length > MAX_CHARS || /\p{L}{2,}\s+\p{L}/u.test(text)) return REMARK
  if (/^[\d+−-]+$/.test(text)) return { kind: 'text', text: subscript(text) }
  const isIndex = word.length <= 3 || functions.test(before)
  if (before.trimEnd() === before && before !== '' && isIndex) return { kind: 'text', text: subscript(text) }
  return REMARK
}
