/** Words in the place of a secret that are no secret: placeholders, and words such as "none". */
const words = new Set(
  'none null nil undefined n/a false true no yes empty unset missing required optional unknown unavailable tbd todo redacted hidden removed value string text token key'.split(
    ' ',
  ),
)

const marks = /^(?:x{3,}.*|your.*|[*.•?-]+|[<${[(%].*|https?:\/\/.*|.*(?:…|\.{3}))$/i
/** A name in capitals, such as `API_KEY`. */
const capitals = /^[A-Z][A-Z_-]*$/

/**
 * Returns true if a text is a placeholder for a secret, such as `YOUR_KEY`, `$TOKEN` or `<key>`, or a word such as `none`.
 */
export function isSecretPlaceholder(text: string): boolean {
  return words.has(text.toLowerCase()) || marks.test(text) || capitals.test(text)
}

/** Words for a password, in the languages of most callers. */
const passwords = [
  'passw(?:or)?d',
  'passphrase',
  'passcode',
  'pwd',
  'passwort',
  'kennwort',
  'zugangscode',
  'mot de passe',
  "code d'accès",
  'contraseña',
  'contrasena',
  'senha',
  'palavra[- ]passe',
  'wachtwoord',
  'hasło',
  'lösenord',
  'adgangskode',
  'heslo',
  'şifre(?:m|si)?',
  'parola(?:m)?',
  'пароль',
  'пароля',
  '密码',
  '密碼',
  '口令',
  'パスワード',
  '暗証番号',
  '비밀번호',
  '암호',
  'كلمة (?:السر|المرور)',
  'mật khẩu',
  'kata sandi',
  'पासवर्ड',
]
/** Names of secrets other than passwords. The value of such a secret is never an ordinary word. */
const keys = [
  '(?:api|access|auth|private|secret|signing|account|app|client|shared|encryption|webhook|deploy|storage|subscription)[ _-]?(?:key|token|secret|password)',
  '(?:access|secret)[ _-]key[ _-](?:id|secret)|(?:session|security|refresh|bearer|bot|id)[ _-]?token|accountkey|sharedaccesskey|connection[ _-]string',
]
/** Names of secrets that are also names of harmless things. */
const vague = ['secret', 'token', 'key', 'login', 'credentials?', 'auth', 'sig', 'signature']

/** The verb "is" in several languages. */
const verbs = '(?:ist|lautet|est|es|é|è|eh|is|to|jest|är|er|je|adalah|là|هي)'
const eastern = '(?:は|是|为|為|는|은|है)'

function named(names: readonly string[], end: string): RegExp {
  // The value ends at white space or at the end of a clause, and does not include quotes around it.
  return new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${names.join('|')})${end}(["'“”«»\`])?([^\\s"'“”«»\`,;，。、]{3,200})`,
    'giu',
  )
}

const assigned = `["'\`]?[ \\t]{0,4}(?:=>?|:=?|：|->|→)[ \\t]{0,4}`
const said = `["'\`]?(?:[ \\t]{1,4}${verbs}(?:[ \\t]{0,2}[:=])?[ \\t]{1,4}|[ \\t]{0,4}${eastern}[ \\t]{0,4}(?:[:：][ \\t]{0,4})?|[ \\t]{1,4}[—–-][ \\t]{1,4})`
const saidInEnglish = `["'\`]?[ \\t]{1,4}(?:is|was)(?:[ \\t]{0,2}[:=])?[ \\t]{1,4}`
const beside = '[ \\t]{1,4}'

/** Words that often follow the name of a secret without being its value, as in "the password must". */
const prose = new Set(
  'not too the a an in on at to of for from and or but with without by as so if very still always never ever only also just being been how what why when where which who whether that this these it they we you i is are was best better good bad safe secure strong weak long short wrong right correct incorrect invalid valid expired lost forgotten stolen leaked compromised stored saved hashed encrypted reset changed used set sent kept needed necessary common important enough secret public visible case checked blank default manager managers security policy policies rules tips history protection recovery generator generators rotation strength length'.split(
    ' ',
  ),
)
/** Names of standards and products that look like passwords. */
const standard =
  /^(?:1password|argon2\w*|pbkdf2|sha-?\d+|base\d+|md5\w*|b?scrypt\d*|bcrypt\w*|windows\d+|win\d+|iphone\d+|oauth2?(?:\.\d)?|utf-?\d+|wpa[23]\w*|fido2|u2f|[23]fa|mfa\d*|nist\S*|rfc-?\d+|iso\S*|cve-\S+|erc-?\d+|jwt\S*|\d+(?:st|nd|rd|th)?|\d{4}-\d\d-\d\d\S*)$/i

/** Matches the text after the last word of a clause. */
const clauseEnd = /^["'“”«»`]?(?:\s*(?:[,;.!)，。\n]|$)|\s+(?:and|then|so|but|und|et|y|e)\s)/
/** Number of characters after a value that are read to decide whether the clause ends. */
const NEXT_CHARS = 8

interface Found {
  value: string
  /** True if the clause ends after the value. */
  isLast: boolean
  isQuoted: boolean
}

/** Returns the values in a text that match a form, without placeholders and ordinary words. */
function valuesOf(form: RegExp, text: string): Found[] {
  return [...text.matchAll(form)].flatMap(({ 0: whole, 1: quote, 2: raw = '', index }) => {
    const value = raw.replace(/[.!?)\]}:]+$/, '')
    const isQuoted = quote !== undefined
    if (value === '' || isSecretPlaceholder(value) || standard.test(value)) return []
    if (!isQuoted && prose.has(value.toLowerCase())) return []
    const start = index + whole.length
    const isLast = value === raw ? clauseEnd.test(text.slice(start, start + NEXT_CHARS)) : !raw.includes('?')
    return [{ value, isLast, isQuoted }]
  })
}

/** Returns true if a value has a digit, a symbol, or a capital after a small letter. Ordinary words have none of them. */
function looksSecret(value: string): boolean {
  return /\d|[!@#$%^&*+=~|\\/]|\p{Ll}\p{Lu}/u.test(value)
}

/** Returns true if a value has letters and digits, and at least `chars` characters. */
function looksGenerated(value: string, chars: number): boolean {
  return value.length >= chars && /\d/.test(value) && /[a-z]/i.test(value)
}

const rules: readonly (readonly [form: RegExp, isSecret: (found: Found) => boolean])[] = [
  [named([...passwords, ...keys], assigned), () => true],
  [named(passwords, saidInEnglish), ({ isLast, isQuoted }) => isLast || isQuoted],
  [named(passwords, said), ({ value, isQuoted }) => looksSecret(value) || isQuoted],
  [named(keys, said), ({ value }) => looksGenerated(value, 8)],
  [named(passwords, beside), ({ value }) => /[\p{L}].*\d|\d.*\p{L}|[!@#$%^&*]/u.test(value) && value.length >= 6],
  [named(['pass', 'pw'], assigned), ({ value }) => looksGenerated(value, 5)],
  [named(['pass', 'pw'], said), ({ value }) => looksGenerated(value, 5)],
  [named(['pass', 'pw'], beside), ({ value }) => looksGenerated(value, 6)],
  [named(keys, beside), ({ value }) => looksGenerated(value, 12)],
  [named(['secret'], assigned), ({ value }) => looksGenerated(value, 6)],
  [named(vague, `["'\`]?=`), ({ value }) => looksGenerated(value, 8)],
  [named(vague, assigned), ({ value }) => looksGenerated(value, 10)],
  [named(vague, said), ({ value }) => looksGenerated(value, 8)],
  // A value of 64 hexadecimal digits can be a public key or a hash; bare-key.ts decides.
  [named(vague, beside), ({ value }) => looksGenerated(value, 16) && /^(?![0-9a-f]{64}$)[A-Za-z0-9]+$/i.test(value)],
]

/** Returns true if a text contains a secret after its name, as in "password is …". */
export function hasNamedSecret(text: string): boolean {
  return rules.some(([form, isSecret]) => valuesOf(form, text).some(isSecret))
}
