import { statSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { AsofError, isAsofError } from '../../../core/index.ts'
import { causeOf, codeOf, isError, messageOf } from '../../../extract/errors/thrown.ts'

/** Runs an expression in another realm, as Jest runs tests. */
const elsewhere = (expression: string, names: object = {}): unknown => runInNewContext(expression, { ...names })

describe('what was thrown', () => {
  it('is an error in any realm, and nothing else is', () => {
    expect(elsewhere('new TypeError("x")') instanceof Error).toBe(false)
    for (const thrown of ['new Error("x")', 'new TypeError("x")', 'new (class E extends RangeError {})("x")'])
      expect(isError(elsewhere(thrown)), thrown).toBe(true)
    for (const thrown of [new AsofError('ASOF_CLOSED', 'x'), new DOMException('x'), AbortSignal.abort().reason])
      expect(isError(thrown)).toBe(true)
    for (const thrown of [undefined, null, 'Error', { message: 'x', name: 'Error' }, elsewhere('({ message: "x" })')])
      expect(isError(thrown)).toBe(false)
  })

  it('gives its code, message and cause in any realm', () => {
    const thrown = elsewhere('Object.assign(new Error("m", { cause: new Error("c") }), { code: "ENOENT" })')
    expect([codeOf(thrown), messageOf(thrown), messageOf(causeOf(thrown))]).toEqual(['ENOENT', 'm', 'c'])
    expect([codeOf({ code: 'ENOENT' }), messageOf(7), causeOf('x')]).toEqual([undefined, '7', undefined])
    expect(codeOf(elsewhere('Object.assign(new Error("m"), { code: 7 })'))).toBeUndefined()
  })

  it('of the modules of Node.js is an error where another realm checks it', () => {
    const check = elsewhere(`(${isError.toString()})`) as typeof isError
    const failing = () => statSync('/no/such/file')
    expect(elsewhere('(() => { try { failing() } catch (e) { return e instanceof Error } })()', { failing })).toBe(
      false,
    )
    expect(elsewhere('(() => { try { failing() } catch (e) { return check(e) } })()', { failing, check })).toBe(true)
  })

  it('is an error of asof by its name and code, whatever realm made it', () => {
    const thrown = elsewhere('Object.assign(new Error("m"), { name: "AsofError", code: "ASOF_CLOSED" })')
    expect(isAsofError(thrown, 'ASOF_CLOSED')).toBe(true)
    expect(isAsofError(thrown, 'ASOF_SEALED')).toBe(false)
  })
})
