import { z } from 'zod'
import type { ClusterSetup } from '../../../service/data-folder/index.ts'
import { UsageError } from '../command-failure.ts'
import { flagName } from '../flags.ts'
import { type Given, namesOf, optionsOf, settingTable } from './setting.ts'
import { boolean, integer, objectStoreUrl, postgresUrl, webUrls } from './setting-types.ts'

/** The settings of a cluster that has the index in place of the data folder. */
export const clusterSettings = settingTable('cluster_', {
  isOn: {
    name: 'cluster',
    type: boolean,
    default: false,
    flag: '',
    text: 'have the index in [a cluster](scale.md), not in the data folder',
  },
  search: {
    type: webUrls,
    flag: '<urls>',
    text: 'nodes of OpenSearch, separated by commas, such as http://10.0.0.1:9200,http://10.0.0.2:9200',
  },
  database: {
    type: postgresUrl,
    flag: '<url>',
    text: 'PostgreSQL of the cluster, such as postgres://asof@10.0.0.3/asof; a URL with a password only in the variable',
  },
  objects: {
    type: objectStoreUrl,
    flag: '<url>',
    text: '[object store](scale.md#object-store) that has the bodies of pages, such as s3://bucket/prefix?region=eu-central-1 or file:///path',
    unset: 'in PostgreSQL',
  },
  name: {
    type: z.string().regex(/^[a-z][a-z0-9_]{0,50}$/, {
      error: 'must be lower-case letters, digits and _, and begin with a letter',
    }),
    default: 'asof',
    flag: '<name>',
    text: 'name of the index in OpenSearch and of the schema in PostgreSQL',
  },
  shards: {
    type: integer(1, 1_024),
    default: 1,
    flag: '<n>',
    text: '[shards](scale.md#sizes) of the index, when it is created',
  },
  replicas: {
    type: integer(0, 10),
    default: 0,
    flag: '<n>',
    text: 'further copies of each shard, when the index is created',
  },
})

/** @throws UsageError - a flag has a password, which other users of the machine could read. */
export function expectNoPasswords(flags: Given): void {
  for (const { name } of [clusterSettings.search, clusterSettings.database]) {
    const urls = [flags[name] ?? []].flat() as string[]
    if (urls.some(url => URL.parse(url)?.password))
      throw new UsageError(
        `${flagName(name)}: other users of this machine can read passwords in flags; set ASOF_${name.toUpperCase()} in the environment`,
      )
  }
}

/** Returns where the cluster is, or undefined if none is used. @throws UsageError - a URL is missing. */
export function clusterOf(given: Given): ClusterSetup | undefined {
  return optionsOf(clusterSettings, given).isOn ? clusterNamedIn(given) : undefined
}

/** Returns where the cluster is, even if the index is not in it. @throws UsageError - a URL is missing. */
export function clusterNamedIn(given: Given): ClusterSetup {
  const { search, database, objects, name, shards, replicas } = optionsOf(clusterSettings, given)
  if (!search || !database) {
    const missing = search ? clusterSettings.database : clusterSettings.search
    throw new UsageError(`a cluster needs ${namesOf(missing)}, which is not set`)
  }
  return { search, database, objects, name, shards, replicas }
}
