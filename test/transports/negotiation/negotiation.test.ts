import { describe, expect, it } from 'vitest'
import { acceptsGzip, prefersPlainText } from '../../../transports/negotiation/negotiation.ts'

describe('acceptsGzip', () => {
  it.each([
    ['gzip', true],
    ['br;q=1, GZIP;q=0.5', true],
    ['x-gzip', true],
    ['*', true],
    ['deflate, *;q=0.1', true],
    ['gzip;q=0, *', false],
    ['*;q=0', false],
    ['identity', false],
    ['gzip;q=nonsense', false],
    ['', false],
    [undefined, false],
  ])('reads %s as %s', (header, accepted) => {
    expect(acceptsGzip(header)).toBe(accepted)
  })
})

describe('prefersPlainText', () => {
  it.each([
    // As Chromium and Firefox send it.
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', true],
    ['text/plain', true],
    ['text/plain, text/markdown;q=0.9', true],
    ['TEXT/HTML', true],
    ['text/markdown, text/html;q=0.9, */*;q=0.8', false],
    ['text/*', false],
    ['*/*', false],
    ['text/html;q=0', false],
    ['text/html;q=nonsense', false],
    ['application/json', false],
    ['', false],
    [undefined, false],
  ])('reads %s as %s', (header, plain) => {
    expect(prefersPlainText(header)).toBe(plain)
  })
})
