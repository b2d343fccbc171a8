import { readFileSync } from 'node:fs'

/** The instructions of a Dockerfile, and what they say about the container that it makes. */
export interface ContainerFile {
  base: string
  /** Commands of the build, each with the folder it runs in, and the place where it finds the files beside the Dockerfile. */
  runs: { command: string; folder: string; files: string | undefined }[]
  args: Record<string, string>
  env: Record<string, string>
  user: string
  volumes: string[]
  stopSignal: string
  health: string[]
  /** Entry point and its arguments. */
  command: string[]
}

const pairs = (text: string): [string, string][] =>
  [...text.matchAll(/(\w+)=("[^"]*"|\S+)/g)].map(([, name = '', value = '']) => [name, value.replace(/^"|"$/g, '')])

/** Reads a Dockerfile that has one stage and no continued lines. Throws at any instruction that it does not know. */
export function readContainerFile(path: string): ContainerFile {
  const file: ContainerFile = {
    base: '',
    runs: [],
    args: {},
    env: {},
    user: 'root',
    volumes: [],
    stopSignal: 'SIGTERM',
    health: [],
    command: [],
  }
  let folder = '/'
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [instruction = ''] = line.split(' ', 1)
    const rest = line.slice(instruction.length + 1)
    if (instruction === 'FROM') file.base = rest
    else if (instruction === 'ARG') Object.assign(file.args, Object.fromEntries(pairs(rest)))
    else if (instruction === 'ENV') Object.assign(file.env, Object.fromEntries(pairs(rest)))
    else if (instruction === 'WORKDIR') folder = rest
    else if (instruction === 'RUN') {
      const [mount = '', files] = /^--mount=type=bind,target=(\S+) /.exec(rest) ?? []
      file.runs.push({ command: rest.slice(mount.length), folder, files })
    } else if (instruction === 'USER') file.user = rest
    else if (instruction === 'VOLUME') file.volumes.push(rest)
    else if (instruction === 'STOPSIGNAL') file.stopSignal = rest
    else if (instruction === 'HEALTHCHECK') file.health = JSON.parse(rest.slice(rest.indexOf('[')))
    else if (instruction === 'ENTRYPOINT') file.command = [...JSON.parse(rest), ...file.command]
    else if (instruction === 'CMD') file.command = [...file.command, ...JSON.parse(rest)]
    else if (instruction !== 'EXPOSE') throw new Error(`${path}: the check does not know ${instruction}`)
  }
  return file
}
