/** Makes a machine with asof as the Dockerfile says, and starts the checks on it without the network. Run by `run.ts`. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readContainerFile } from './container-file.ts'
import { Machine } from './machine.ts'

const [, , folder = ''] = process.argv
const deploy = resolve(import.meta.dirname, '../../deploy')
const file = readContainerFile(join(deploy, 'Dockerfile'))
const machine = await Machine.over(join(folder, 'machine'))

// The parts of the base image that the steps need: Node.js, its npm, and the user.
const [, major] = /^node:(\d+)-bookworm-slim$/.exec(file.base) ?? []
if (process.version.split('.', 1)[0] !== `v${major}`) throw new Error(`${file.base} has another Node.js than this one`)
copyFileSync(process.execPath, machine.path('/tmp/node'))
await machine.run('install /tmp/node /usr/local/bin/node')
await machine.run('id node || useradd --create-home node')

const packages = readdirSync(join(folder, 'packages'))
for (const name of packages) copyFileSync(join(folder, 'packages', name), machine.path(`/tmp/${name}`))
const env = { PACKAGES: packages.map(name => `/tmp/${name}`).join(' ') }
for (const { command, folder: at } of file.runs) await machine.run(`mkdir -p ${at} && cd ${at} && ${command}`, env)
await machine.run('useradd --system asof')

// Pages to search, where the unit keeps its data.
const page = { url: 'https://example.com/', title: 'Night trains', text: 'The night train to Lisbon leaves at nine.' }
writeFileSync(machine.path('/tmp/pages.jsonl'), JSON.stringify(page))
await machine.run(
  '/opt/asof/node_modules/.bin/asof import /tmp/pages.jsonl --data /var/lib/asof && chown -R asof: /var/lib/asof',
)
console.log('ok  the steps of the Dockerfile install asof')

// What the checks start ends with them.
const isolated = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc']
const program = [process.execPath, join(import.meta.dirname, 'check-machine.ts'), machine.root]
process.exitCode = spawnSync('unshare', [...isolated, ...program], { stdio: 'inherit' }).status ?? 1
