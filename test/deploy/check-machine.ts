/** Checks the files in `deploy/` on a machine that has asof, in a network of its own. Run by `build-machine.ts`. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readContainerFile } from './container-file.ts'
import { Machine, type Started } from './machine.ts'
import { checkProxy } from './proxy-check.ts'
import { ask, HOST, SERVER, until, untilReady } from './requests.ts'
import { readService, startOf } from './unit-file.ts'

const machine = Machine.at(process.argv[2] ?? '')
const deploy = resolve(import.meta.dirname, '../../deploy')
execFileSync('ip', ['link', 'set', 'lo', 'up'])
execFileSync('mount', ['-t', 'proc', 'proc', machine.path('/proc')])

const has = (program: string): boolean => spawnSync('which', [program]).status === 0

/** Runs a check, unless a program that it needs is missing. */
async function check(name: string, programs: readonly string[], work: () => Promise<void>): Promise<void> {
  const missing = programs.filter(program => !has(program))
  if (missing.length > 0) return console.log(`left out: ${name}: ${missing.join(', ')} is not installed`)
  const fromMs = performance.now()
  await work()
  console.log(`ok  ${name} (${((performance.now() - fromMs) / 1000).toFixed(1)} s)`)
}

const service = readService(join(deploy, 'asof.service'))
const start = startOf(service)
/** The server as the unit starts it, which may fetch pages from this machine for the check. */
const startServer = (): Started => machine.start(start.replace(' env -i ', ' env -i ASOF_ALLOW_PRIVATE=1 '))

for (const name of ['compose.yaml', 'compose.cluster.yaml'])
  await check(`${name} is valid and names what exists`, ['docker-compose'], async () => {
    const env = { ...process.env, POSTGRES_PASSWORD: 'secret' }
    execFileSync('docker-compose', ['-f', join(deploy, name), 'config', '--quiet'], { env })
    const compose = readFileSync(join(deploy, name), 'utf8')
    const paths = [...compose.matchAll(/(?:- |")\.\/([^\s"]+?):/g)].map(([, path = '']) => path)
    assert.ok(paths.length > 0)
    for (const path of paths) assert.ok(existsSync(join(deploy, path)), path)
  })

await check('the image starts as compose.yaml says, is healthy, and stops', [], async () => {
  const { command, env, user, volumes, health, stopSignal } = readContainerFile(join(deploy, 'Dockerfile'))
  const compose = readFileSync(join(deploy, 'compose.yaml'), 'utf8')
  assert.match(compose, /read_only: true\n {4}tmpfs:\n {6}- \/tmp\n {4}cap_drop:\n {6}- ALL\n/)
  const settings = [...compose.matchAll(/^ {6}(ASOF_\w+): "?([^"\n]+)"?$/gm)]
    .map(([, name, value]) => [name, value])
    .filter(([name]) => name !== 'ASOF_UPSTREAM')
  const all = {
    ...env,
    ...Object.fromEntries(settings),
    PATH: `${env.PATH}`.replace('$PATH', '/usr/local/bin:/usr/bin:/bin'),
  }
  const [volume = ''] = volumes
  const dropped = `setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all`
  const mounts = `mount --bind ${volume} ${volume} && mount -t tmpfs -o mode=1777 tmp /tmp && mount -o remount,bind,ro /`
  const container = machine.start(`${mounts} && exec ${dropped} ${command.join(' ')}`, all)
  const isHealthy = (): boolean => spawnSync('/usr/sbin/chroot', [machine.root, ...health], { env: all }).status === 0
  await until('health', container, async () => isHealthy())
  assert.equal((await ask({ port: SERVER, path: '/v1/search/public?query=a&service_title=deploy' })).status, 200)
  container.process.kill(stopSignal as NodeJS.Signals)
  assert.equal(await container.ended, 0, container.output())
  assert.ok(!isHealthy(), 'a stopped server is healthy')
  assert.ok(existsSync(machine.path(`${volume}/index`)))
})

await check('asof.service is valid', ['systemd-analyze'], async () => {
  copyFileSync(join(deploy, 'asof.service'), machine.path('/etc/systemd/system/asof.service'))
  await machine.run('systemd-analyze verify --man=no /etc/systemd/system/asof.service')
})

await check('the service starts under the settings of its unit, and stops', [], async () => {
  const server = startServer()
  await untilReady(server)
  const found = await ask({ port: SERVER, path: '/v1/search/public?query=lisbon&service_title=deploy' })
  assert.equal(JSON.parse(found.text).results[0].title, 'Night trains')
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
  assert.match(status, /^CapBnd:\t0+$/m)
  assert.match(status, /^NoNewPrivs:\t1$/m)
  server.process.kill('SIGTERM')
  assert.equal(await server.ended, 0, server.output())
})

await check('nginx serves TLS, hides what it must, and drains', ['nginx', 'openssl'], async () => {
  const at = `/etc/letsencrypt/live/${HOST}`
  await machine.run(
    `mkdir -p ${at} && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${HOST} -addext subjectAltName=DNS:${HOST} -keyout ${at}/privkey.pem -out ${at}/fullchain.pem`,
  )
  rmSync(machine.path('/etc/nginx/sites-enabled/default'), { force: true })
  copyFileSync(join(deploy, 'nginx.conf'), machine.path('/etc/nginx/conf.d/asof.conf'))
  await machine.run('nginx -t')
  const nginx = machine.start(`exec nginx -g 'daemon off;'`)
  await until('answer at port 80', nginx, async () => (await ask({ port: 80, path: '/' })).status === 301)
  const ca = readFileSync(machine.path(`${at}/fullchain.pem`), 'utf8')
  await checkProxy({ ca, startServer, waits: false })
  nginx.process.kill('SIGQUIT')
  assert.equal(await nginx.ended, 0, nginx.output())
})

await check('Caddy serves TLS, hides what it must, and waits for a restart', ['caddy'], async () => {
  // The authority of Let's Encrypt can't be asked here, so Caddy signs its certificates itself.
  const text = `{\n\tlocal_certs\n\tskip_install_trust\n}\n\n${readFileSync(join(deploy, 'Caddyfile'), 'utf8')}`
  writeFileSync(machine.path('/etc/caddy/Caddyfile'), text)
  const env = { XDG_DATA_HOME: '/tmp/caddy', HOME: '/tmp' }
  await machine.run('caddy validate --config /etc/caddy/Caddyfile --adapter caddyfile', env)
  const caddy = machine.start('exec caddy run --config /etc/caddy/Caddyfile --adapter caddyfile', env)
  const authority = machine.path('/tmp/caddy/caddy/pki/authorities/local/root.crt')
  await until('certificate', caddy, async () => {
    return existsSync(authority) && (await ask({ port: 80, path: '/' })).status === 308
  })
  const ca = readFileSync(authority, 'utf8')
  await checkProxy({ ca, startServer, waits: true })
  caddy.process.kill('SIGTERM')
  assert.equal(await caddy.ended, 0, caddy.output())
})
process.exit()
