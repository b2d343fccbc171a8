import { once } from 'node:events'
import { AsofError } from '@asof/core'
import { type Entry, open, type ZipFile } from 'yauzl'
import { type ImportReport, type ImportTarget, ImportTotal } from './import-report.ts'
import { importWarc, readWarcOptions, type WarcImportOptions } from './import-warc.ts'

const MAX_ENTRIES = 10_000

/**
 * Imports the pages of a WACZ file, a ZIP archive with WARC files in `archive/`. Options and errors are those of
 * {@link importWarc}. Failures are reported by WARC file and record number.
 *
 * @throws ASOF_INVALID_CAPTURE - the file is not a ZIP archive, or contains no WARC file.
 */
export async function importWacz(engine: ImportTarget, file: string, given?: WarcImportOptions): Promise<ImportReport> {
  const options = readWarcOptions(given)
  const zip = await openZip(file)
  const total = new ImportTotal(options)
  let archives = 0
  try {
    for await (const entry of entriesOf(zip)) {
      if (options.signal?.aborted) break
      if (!/^archive\/[^/]+\.warc(?:\.gz|\.zst)?$/i.test(entry.fileName)) continue
      if (++archives > MAX_ENTRIES) break
      const report = await importWarc(engine, await contentOf(zip, entry), total.optionsOfNext())
      total.add(entry.fileName, report)
    }
  } finally {
    zip.close()
  }
  if (archives === 0 && !options.signal?.aborted)
    throw new AsofError('ASOF_INVALID_CAPTURE', `${file} is not a WACZ file: it has no WARC file in archive/`)
  return total.report
}

function openZip(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(file, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error) reject(notAZip(file, error))
      else resolve(zip)
    })
  })
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (let read = 0; read < zip.entryCount; read++) {
    const entry = once(zip, 'entry')
    zip.readEntry()
    try {
      yield (await entry)[0] as Entry
    } catch (cause) {
      throw notAZip('the WACZ', cause)
    }
  }
}

function contentOf(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error) reject(notAZip(entry.fileName, error))
      else resolve(stream)
    })
  })
}

function notAZip(name: string, cause: unknown): AsofError {
  return new AsofError('ASOF_INVALID_CAPTURE', `${name} cannot be unpacked: it is damaged, or not a ZIP archive`, {
    cause,
  })
}
