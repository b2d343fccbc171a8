import type {
  ClusterExamination,
  ClusterHealth,
  DatabaseHealth,
  ObjectsHealth,
  SearchHealth,
} from '../../../cluster/index.ts'
import { printable, timestamp } from '../../../service/index.ts'
import { pluralize } from './wording.ts'
import { table, WIDTH, wrap } from './wrapped-text.ts'

/** Returns a size in units of 1,024, such as 1.5 GiB. */
function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}

/** Returns a duration such as `250 ms`, `12 s` or `3 min`. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`
}

const number = (value: number): string => value.toLocaleString('en-US')

/** Returns rows as a table. Names of nodes are cut where a row would not fit. */
function narrowTable(rows: readonly (readonly string[])[]): string[] {
  return table(rows).map(row => row.slice(0, WIDTH))
}

function databaseLines(database: DatabaseHealth): string[] {
  const { version, captures, urls, bytes, openChanges, lagMs, safeInstant } = database
  const open =
    openChanges === 0
      ? 'no open changes'
      : `${pluralize(openChanges, 'open change')}, the oldest since ${durationText(lagMs)}`
  return [
    `PostgreSQL ${version.split(' ')[0]}: ${number(captures)} captures of ${number(urls)} URLs, ${sizeText(bytes)}`,
    `  ${open}; now means ${timestamp(safeInstant) ?? 'the time of the server'}`,
  ]
}

function objectsLine({ objects, bytes, usedBytes }: ObjectsHealth): string {
  return `object store: ${pluralize(objects, 'object')}, ${sizeText(bytes)}, of which ${sizeText(usedBytes)} are used`
}

function searchLines({ version, status, nodes, shards, captures, bytes }: SearchHealth): string[] {
  const states = shards.filter(({ state }) => state !== 'started')
  return [
    wrap(
      `OpenSearch ${version}: ${status}, ${number(captures)} captures, ${sizeText(bytes)}, ${pluralize(nodes.length, 'node')}, ${shards.length - states.length} of ${pluralize(shards.length, 'shard')} started`,
    ),
    '',
    ...narrowTable([
      ['node', 'heap', 'free disk', 'shards'],
      ...nodes.map(({ name, heapPercent, diskFreeBytes, isManager }) => [
        `${printable(name).slice(0, 40)}${isManager ? ' (manager)' : ''}`,
        `${heapPercent} %`,
        sizeText(diskFreeBytes),
        String(shards.filter(({ node }) => node === name).length),
      ]),
    ]),
    '',
    ...narrowTable([
      ['shard', 'copy', 'state', 'size', 'node'],
      ...shards.map(({ number: shard, isPrimary, state, node, bytes: size }) => [
        String(shard),
        isPrimary ? 'primary' : 'replica',
        state,
        sizeText(size),
        printable(node ?? '-').slice(0, 40),
      ]),
    ]),
  ]
}

/** Returns the health of a cluster as text for people. */
export function healthText({ name, database, search, objects }: ClusterHealth): string {
  const missing =
    !('failure' in database) &&
    !('failure' in search) &&
    database.openChanges === 0 &&
    database.captures !== search.captures
  const lines = [`cluster ${name}`]
  if ('failure' in database) lines.push(wrap(printable(database.failure)))
  else lines.push(...databaseLines(database))
  if (objects) lines.push('failure' in objects ? wrap(printable(objects.failure)) : objectsLine(objects))
  if ('failure' in search) lines.push(wrap(printable(search.failure)))
  else lines.push(...searchLines(search))
  if (missing) lines.push('', wrap('The numbers of captures differ: run asof cluster doctor.'))
  return lines.join('\n')
}

/** Returns what is wrong with a cluster as text for people. */
export function clusterExaminationText({ name, sound, compared, captures, findings }: ClusterExamination): string {
  const read = `compared ${number(compared)} of ${number(captures)} captures`
  const lines = findings.map(({ problem, advice }) => wrap(printable(`${problem}: ${advice}.`)))
  return [wrap(`cluster ${name}: ${sound ? 'sound' : pluralize(findings.length, 'problem')}; ${read}`), ...lines].join(
    '\n',
  )
}

/** Returns the health of a cluster as JSON. */
export function healthJson({ name, database, search, objects }: ClusterHealth): object {
  return {
    name,
    database:
      'failure' in database
        ? database
        : {
            version: database.version,
            captures: database.captures,
            urls: database.urls,
            bytes: database.bytes,
            open_changes: database.openChanges,
            lag_ms: database.lagMs,
            safe_instant: timestamp(database.safeInstant) ?? null,
          },
    objects:
      !objects || 'failure' in objects
        ? objects
        : { objects: objects.objects, bytes: objects.bytes, used_bytes: objects.usedBytes },
    search:
      'failure' in search
        ? search
        : {
            version: search.version,
            status: search.status,
            captures: search.captures,
            bytes: search.bytes,
            nodes: search.nodes.map(({ name: node, heapPercent, diskFreeBytes, diskBytes, isManager }) => ({
              name: node,
              heap_percent: heapPercent,
              disk_free_bytes: diskFreeBytes,
              disk_bytes: diskBytes,
              manager: isManager,
            })),
            shards: search.shards.map(({ number: shard, isPrimary, state, node, bytes }) => ({
              shard,
              primary: isPrimary,
              state,
              node: node ?? null,
              bytes,
            })),
          },
  }
}
