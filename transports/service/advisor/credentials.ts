import { refusedFields } from '../contract/errors.ts'
import type { QuoteRequest } from './quote.ts'

/**
 * The kinds of credentials that the detector knows, with their forms. Each form starts at a fixed text or at the start of a
 * run of characters (a lookbehind), so a text is read in linear time.
 *
 * A form may also match a text that is no credential, such as a transaction hash. The detector protects callers from
 * mistakes: it cannot find secrets without a recognizable form, such as words of a seed phrase.
 */
const forms: readonly (readonly [kind: string, form: RegExp])[] = [
  ['an asof key', /asof_[A-Za-z0-9_-]{43}/],
  ['an AWS access key', /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}/],
  ['a secret API key', /(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{8}/],
  ['a secret API key', /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{16}/],
  ['a GitHub token', /(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_)[A-Za-z0-9_]{20}/],
  ['a JSON Web Token', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/],
  ['a private key', /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY/],
  ['a private key', /(?<![A-Za-z0-9])0x[0-9a-f]{64}(?![0-9a-f])/i],
  // Without a digit, at least 20 characters: "bearer authentication" is no credential.
  ['a bearer token', /(?<![a-z0-9])bearer[ \t]{1,4}(?:[a-z._~+/-]{20}|[a-z._~+/-]{0,19}[0-9][a-z0-9._~+/-]{3})/i],
  [
    'an authorization header',
    /(?<![a-z0-9])authorization["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:bearer|basic)[ \t]{1,4}\S{4}/i,
  ],
  [
    'a password or key',
    /(?<![a-z0-9])(?:password|passwd|passphrase|pwd|secret|token|(?:api|access|auth|private|secret|access[_ -]key)[_ -]?(?:key|token|secret))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[^\s"',;]{3}/i,
  ],
  ['a URL with a password', /(?<![a-z0-9.+-])[a-z][a-z0-9.+-]*:\/\/[^\s/?#:@]*:[^\s/?#@]+@/i],
]

/** Returns the kind of the first credential that a text seems to contain. */
export function credentialKind(text: string): string | undefined {
  return forms.find(([, form]) => form.test(text))?.[0]
}

/**
 * Rejects a request whose goal or requirements contain a credential. The error does not repeat the text.
 *
 * @throws ServiceError invalid_request
 */
export function refuseCredentials(request: Pick<QuoteRequest, 'goal' | 'requirements'>): void {
  const problems = (['goal', 'requirements'] as const).flatMap(path => {
    const kind = credentialKind(request[path] ?? '')
    return kind === undefined
      ? []
      : [
          {
            path,
            reason: `must not contain credentials, but seems to contain ${kind}; remove it and repeat the request`,
          },
        ]
  })
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
}
