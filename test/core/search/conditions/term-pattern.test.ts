import { expect, it } from 'vitest'
import { predicateOf } from '../../../../core/search/conditions/term-pattern.ts'

it('a pattern with letters inside matches the terms that contain them', () => {
  const matches = predicateOf({ text: 'bahn', at: 0, prefix: '', inside: 'bahn', title: false, scores: false })
  expect(['strassenbahn', 'bahnhof', 'bahn', 'autobahnen', 'bann'].filter(matches)).toEqual([
    'strassenbahn',
    'bahnhof',
    'bahn',
    'autobahnen',
  ])
})
