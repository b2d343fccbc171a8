import { describe, it } from 'vitest'
import { engineContract } from '../../core/testing/index.ts'
import { openTestCluster, servers } from './test-cluster.ts'

describe.skipIf(!servers)('an engine over a cluster', () => {
  engineContract({
    describe,
    it,
    open: openTestCluster,
    lacks: [
      'suggest',
      'page, versions, timeline and history: history exports every observation of every page once, whatever the size of its parts',
      'page, versions, timeline and history: history gives another engine the same pages, removals, sightings and aliases as of every instant',
      'page, versions, timeline and history: rejects invalid URLs, times, limits and cursors with their codes',
      'seen, remove and purge: add declares removals, sightings and aliases, in whatever order they arrive',
      'seen, remove and purge: purge deletes a page from all of time',
      'seen, remove and purge: removes and purges the pages of a selection, and changes nothing in a dry run',
      'relevance: changes searches from now on, and none as of an earlier instant',
      'relevance: is replaced as a whole, and setting it again does nothing',
      'relevance: rejects what is wrong with the path of it',
    ],
  })
})
