import { AsofError } from '@asof/core'
import { FolderObjectStore } from './folder-object-store.ts'
import type { ObjectStore } from './object-store.ts'
import { S3Store } from './s3-store.ts'

/** Opens the object store at a URL. Sends no request yet. @throws ASOF_INVALID_OPTION, ASOF_PACKAGE_MISSING */
export async function openObjectStore(url: string): Promise<ObjectStore> {
  const place = URL.parse(url)
  if (place?.protocol === 'file:' && place.host === '' && place.pathname.length > 1) return new FolderObjectStore(place)
  if (place?.protocol === 's3:' && place.host !== '' && place.username === '') return S3Store.open(place)
  throw new AsofError(
    'ASOF_INVALID_OPTION',
    'objects must be a URL such as s3://bucket/prefix?region=eu-central-1 or file:///path, without credentials',
    { details: { field: 'objects' } },
  )
}
