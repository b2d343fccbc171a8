const pieces = [
  'search ',
  'fetch ',
  '500 ',
  '9'.repeat(300),
  '1e999 ',
  'a thousand ',
  ' million'.repeat(50),
  ' per day',
  ' every ',
  ' for 2 weeks',
  ' for 0 days',
  'eyJ',
  'eyJaaaaa.',
  'sk-',
  'sk_live_',
  '-----BEGIN ',
  ' PRIVATE KEY',
  '0x',
  'f'.repeat(63),
  'a://',
  ':',
  '@',
  'bearer ',
  'password',
  '=',
  'token: ',
  '`',
  '\n',
  '\r',
  '\u2028',
  '\0',
  '\u202e',
  '\ud800',
  '\udc00',
  '|',
  '</script>',
  '__proto__',
  'constructor ',
  'toString ',
  '5 constructor ',
  'per valueOf ',
  'İ',
  '𝒳',
  '%',
  '/',
  '[x](y)',
  '-',
]

/** Random texts of at most 2,000 characters, the same in every run. */
export function* hostileTexts(count: number): Generator<string> {
  let state = 12_345
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  for (const piece of pieces) yield piece.repeat(Math.floor(2_000 / piece.length))
  for (let i = 0; i < count; i += 1) {
    let text = ''
    const length = 1 + random(60)
    for (let j = 0; j < length; j += 1) text += (pieces[random(pieces.length)] ?? '').repeat(1 + random(3))
    yield text.slice(0, 2_000)
  }
}
