/** Makes a machine with asof as docs/operations.md and the Dockerfile say, and starts the checks on it without the network. Run by `run.ts`. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
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

const packages = machine.path('/tmp/packages')
cpSync(join(folder, 'packages'), packages, { recursive: true })

// As docs/operations.md says, with what systemd itself would do: it is not there to start the service, whose data folder it makes.
const document = readFileSync(resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8')
const [, steps = ''] = /^### Under systemd$.*?^```sh\n(.*?)^```$/ms.exec(document) ?? []
const page = { url: 'https://example.com/', title: 'Night trains', text: 'The night train to Lisbon leaves at nine.' }
writeFileSync(machine.path('/tmp/pages.jsonl'), JSON.stringify(page))
const hasSystemd = (await machine.run('command -v systemctl || true')) !== ''
const [installing = '', using = ''] = steps.split('systemctl enable --now asof\n')
await machine.run(`set -e; cd /tmp/packages; ${installing}`)
if (hasSystemd) await machine.run('systemctl enable asof')
await machine.run(
  '/opt/asof/node_modules/.bin/asof import /tmp/pages.jsonl --data /var/lib/asof && chown -R asof: /var/lib/asof',
)
await machine.run(using)
console.log(`ok  the steps of docs/operations.md install asof${hasSystemd ? ' and enable its service' : ''}`)

await machine.run('rm -r /opt/asof')
for (const { command, folder: at, files } of file.runs) {
  if (files !== undefined) await machine.run(`mkdir ${files} && mount --bind /tmp/packages ${files}`)
  await machine.run(`mkdir -p ${at} && cd ${at} && ${command}`, file.args)
  if (files !== undefined) await machine.run(`umount ${files}`)
}
console.log('ok  the steps of the Dockerfile install asof')

// What the checks start ends with them.
const isolated = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc']
const program = [process.execPath, join(import.meta.dirname, 'check-machine.ts'), machine.root]
process.exitCode = spawnSync('unshare', [...isolated, ...program], { stdio: 'inherit' }).status ?? 1
