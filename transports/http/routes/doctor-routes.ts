import { timestamp } from '../../../service/index.ts'
import { type Administrators, admitAdministrators } from '../admission/administrators.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

/** What an examination of the data folder found, or why it failed. */
export type DoctorReport = {
  /** When the examination began, epoch ms. */
  at: number
} & ({ captures: number; urls: number; segments: number; findings: readonly string[] } | { failure: string })

/** Examines the data folder of a running server, one examination at a time. */
export interface Doctor {
  /** True while an examination is running. */
  readonly isRunning: boolean
  /** The last examination since the server started. */
  readonly report: DoctorReport | undefined
  /** Starts an examination in the background. Does nothing while one runs. */
  start(): void
}

const count = { type: 'integer' }
const state = named('DoctorState', {
  type: 'object',
  properties: {
    running: { type: 'boolean' },
    examined_at: { type: 'string', format: 'date-time', description: 'when the last examination began' },
    captures: count,
    urls: count,
    segments: count,
    findings: { type: 'array', items: { type: 'string' }, description: 'empty: everything is sound' },
    failure: { type: 'string', description: 'why the folder could not be examined' },
  },
  required: ['running'],
  additionalProperties: false,
})

function stateOf({ isRunning, report }: Doctor) {
  if (!report) return { running: isRunning }
  const { at, ...found } = report
  return { running: isRunning, examined_at: timestamp(at), ...found }
}

const security = [{ AdminToken: [] }]
const responses = { 200: jsonAnswer('The state of the examination.', state), ...failures([...always, 'unauthorized']) }

const show = {
  operationId: 'admin_doctor_show',
  summary: 'Administration: what the last examination of the data folder found',
  security,
  responses,
}

const start = {
  operationId: 'admin_doctor_start',
  summary: 'Administration: examine the data folder in the background',
  description:
    'Copies the data folder, and reads all of the copy as `asof doctor` does: every checksum, and whether records are consistent. The copy lies in the folder for temporary files, takes as much space as the data folder, and is deleted.',
  security,
  responses,
}

/** Adds the routes with which an operator has the data folder examined. They need the admin token. */
export function addDoctorRoutes(app: App, doctor: Doctor, administrators: Administrators): void {
  admitAdministrators(app, administrators)
  app.get('/admin/doctor', { schema: show, exposeHeadRoute: false }, async () => stateOf(doctor))
  app.post('/admin/doctor', { schema: start }, async () => {
    doctor.start()
    return stateOf(doctor)
  })
}
