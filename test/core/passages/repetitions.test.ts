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

it('compares short texts by all of their words, and longer ones by nearly all', () => {
  const words = [
    'aardvark',
    'badger',
    'cormorant',
    'dolphin',
    'elephant',
    'falcon',
    'gazelle',
    'hamster',
    'iguana',
    'jackal',
  ]
  const isRepeated = (text: string[], earlier: string[]) => {
    const repetitions = new Repetitions()
    repetitions.repeats(earlier.join(' '))
    return repetitions.repeats(text.join(' '))
  }
  for (let count = 1; count <= words.length; count++) {
    const text = words.slice(0, count)
    expect(isRepeated(text, text)).toBe(true)
    expect(isRepeated([...text.slice(0, -1), 'koala'], text)).toBe(false)
    expect(isRepeated(text.slice(1), text)).toBe(count === 10)
    expect(isRepeated(text, text.slice(1))).toBe(count === 10)
  }
})
