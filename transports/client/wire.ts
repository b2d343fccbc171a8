// Types alone: nothing of the schemas is loaded when the client runs.
import type { z } from 'zod'
import type { ErrorResponse, FetchResponse, fetchRequest, SearchResponse, searchRequest } from '../service/index.ts'

export type { ErrorResponse, FetchResponse, SearchResponse }

/** Spec 2.1, as it is sent: what has a default may be left out. */
export type SearchRequest = z.input<typeof searchRequest>

/** Parameters of spec E3. */
export type FetchRequest = z.input<typeof fetchRequest>
