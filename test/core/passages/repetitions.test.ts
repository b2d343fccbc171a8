import { expect, it } from 'vitest'
import { Repetitions } from '../../../core/passages/repetitions.ts'

const text = 'The heron is a long-legged bird of rivers and lakes, and it eats fish, frogs and insects all day.'

it('detects a text with nearly the words of an earlier one, in whatever order', () => {
  const repetitions = new Repetitions()
  expect(repetitions.repeats(text)).toBe(false)
  expect(repetitions.repeats(text)).toBe(true)
  expect(repetitions.repeats(`${text.replaceAll(',', ';')} Yes.`)).toBe(true)
})

it('keeps texts with other words, and longer ones', () => {
  const repetitions = new Repetitions()
  expect(repetitions.repeats(text)).toBe(false)
  expect(repetitions.repeats(text.replace('rivers', 'ponds').replace('frogs', 'newts').replace('day', 'week'))).toBe(
    false,
  )
  expect(repetitions.repeats(`${text} In winter it moves to the south, where the water does not freeze.`)).toBe(false)
})
