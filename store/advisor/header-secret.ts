import { isSecretPlaceholder } from './named-secret.ts'

/**
 * Forms of headers, addresses and curl commands that contain a secret, with the name for an error. The first group is the
 * secret.
 */
const forms: readonly (readonly [kind: string, form: RegExp])[] = [
  // A value without a digit must have 20 characters, so that "bearer authentication" is not a credential.
  [
    'a bearer token',
    /(?<![a-z0-9])bearer[ \t]{1,4}(?=[a-z._~+/-]{20}|[a-z._~+/-]{0,19}[0-9][a-z0-9._~+/-]{3})([^\s"'`;,]{1,200})/gi,
  ],
  [
    'an authorization header',
    /(?<![a-z0-9])authorization["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:bearer|basic|token|apikey|ssws|digest)[ \t]{1,4}([^\s"'`;,]{4,200})/gi,
  ],
  [
    'a cookie',
    /(?<![a-z0-9])(?:set-)?cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:[\w.-]{1,60}=[^\s;,]{0,100};[ \t]{0,4}){0,10}[\w.-]{1,60}=([^\s;,"'`]{6,200})/gi,
  ],
  [
    'a cookie',
    /(?<![a-z0-9])(?:session|sess|sid|session_?id|phpsessid|jsessionid|aspsessionid\w{0,20}|connect\.sid|li_at|remember_token|laravel_session|auth_token)=(?=[^\s;,"']{0,40}\d)([^\s;,"'`]{8,200})/gi,
  ],
  ['a user name with a password', /(?<![a-z0-9-])(?:-u|--user)[ =]["']?[^\s:"'`$<{]{1,64}:([^\s"'`]{3,200})/gi],
  ['a URL with a password', /(?<![a-z0-9.+-])[a-z][a-z0-9.+-]*:\/\/[^\s/?#:@]*:([^\s/?#@]+)@/gi],
]

/** Returns the kind of the first secret that a text contains in a header, a cookie, an address or a curl command. */
export function headerSecretKind(text: string): string | undefined {
  return forms.find(([, form]) => [...text.matchAll(form)].some(([, secret = '']) => !isSecretPlaceholder(secret)))?.[0]
}
