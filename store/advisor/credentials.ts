import { refusedFields } from '../../service/index.ts'
import { bareKeyKind } from './bare-key.ts'
import { headerSecretKind } from './header-secret.ts'
import { hasNamedSecret } from './named-secret.ts'
import type { QuoteRequest } from './quote.ts'
import { hasSeedPhrase } from './seed-phrase.ts'
import { tokenKind } from './token-forms.ts'

/**
 * Returns the kind of the first credential that a text seems to contain, in linear time. This protects callers from mistakes.
 * Some secrets are not recognized, and some other texts are taken for secrets.
 */
export function credentialKind(text: string): string | undefined {
  const kind = tokenKind(text) ?? bareKeyKind(text) ?? headerSecretKind(text)
  if (kind !== undefined) return kind
  if (hasNamedSecret(text)) return 'a password or key'
  return hasSeedPhrase(text) ? 'a seed phrase' : undefined
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
