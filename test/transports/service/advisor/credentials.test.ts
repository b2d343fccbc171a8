import { describe, expect, it } from 'vitest'
import { credentialKind, refuseCredentials } from '../../../../transports/service/advisor/credentials.ts'
import { hostileTexts } from './hostile-texts.ts'

// Every credential is put together here, so that scanners of this repository do not take it for a real one.
const letters = 'aB3'.repeat(30)
const credentials: readonly [kind: string, text: string][] = [
  ['an asof key', `asof_${letters.slice(0, 43)}`],
  ['an AWS access key', `AKIA${'A1'.repeat(8)}`],
  ['a secret API key', `sk_${'live'}_${letters.slice(0, 24)}`],
  ['a secret API key', `sk-${letters.slice(0, 40)}`],
  ['a GitHub token', `ghp_${letters.slice(0, 36)}`],
  ['a GitHub token', `github_pat_${letters.slice(0, 40)}`],
  ['a JSON Web Token', `eyJhbGciOi.eyJzdWIiOi.${letters}`],
  ['a private key', `-----BEGIN RSA ${'PRIVATE'} KEY-----`],
  ['a private key', `0x${'Ab'.repeat(32)}`],
  ['a bearer token', `Bearer ${'x1'.repeat(5)}`],
  ['a bearer token', `bearer ${'x'.repeat(20)}`],
  ['an authorization header', 'Authorization: Basic dXNlcg'],
  ['a password or key', 'password: hunter2'],
  ['a password or key', 'OPENAI_API_KEY="abcdef"'],
  ['a password or key', 'aws_secret_access_key=abcdef'],
  ['a password or key', '"access_token": "abcdef"'],
  ['a URL with a password', 'https://user:word@site.example/'],
  ['a URL with a password', 'postgres://:word@db.example'],
]

const harmless = [
  'search for the best password managers, and why a token is not a secret',
  'how does bearer authentication work?',
  'read https://site.example:8080/a@b and https://user@site.example',
  `the address 0x${'ab'.repeat(20)}`,
  'the sk-learn library and asof_ keys',
  'eyJ is how a JSON Web Token begins',
]

describe('the credential detector', () => {
  for (const [kind, text] of credentials) {
    it(`finds ${kind} in ${text.slice(0, 14)}…`, () => {
      expect(credentialKind(text)).toBe(kind)
      expect(credentialKind(`search the news with (${text}), daily`)).toBe(kind)
    })
  }

  for (const text of harmless) {
    it(`accepts: ${text}`, () => expect(credentialKind(text)).toBeUndefined())
  }

  it('names every field with credentials and repeats none of them', () => {
    const request = { goal: 'password: hunter2', requirements: 'pwd=hunter2' }
    expect(() => refuseCredentials(request)).toThrow(/^goal: must not contain credentials.*; requirements: must not/)
    expect(() => refuseCredentials(request)).not.toThrow(/hunter2/)
  })

  it('takes linear time', () => {
    for (const text of hostileTexts(0)) {
      const long = text.repeat(100)
      const started = process.cpuUsage()
      credentialKind(long)
      const { user, system } = process.cpuUsage(started)
      expect(user + system, text.slice(0, 20)).toBeLessThan(500_000)
    }
  })
})
