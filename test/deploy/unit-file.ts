import { readFileSync } from 'node:fs'

/** The settings of the section [Service] of a systemd unit, by name, in order. */
export function readService(path: string): Map<string, string[]> {
  const settings = new Map<string, string[]>()
  const text = readFileSync(path, 'utf8')
  for (const line of text.slice(text.indexOf('[Service]'), text.indexOf('[Install]')).split('\n')) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) settings.set(name, [...(settings.get(name) ?? []), value])
  }
  return settings
}

/**
 * The shell command that starts a service as systemd would: as its user, with its environment, mask, limits, without
 * capabilities and new privileges, and on a system that it can't write to besides its state directory. It runs as root in a
 * mount namespace of its own, whose root is the machine of the service. Settings that need systemd itself are left out.
 */
export function startOf(service: ReadonlyMap<string, readonly string[]>): string {
  const one = (name: string): string => {
    const value = service.get(name)?.[0]
    if (value === undefined) throw new Error(`the unit has no ${name}`)
    return value
  }
  const state = `/var/lib/${one('StateDirectory')}`
  const user = one('User')
  const environment = (service.get('Environment') ?? []).join(' ')
  let privileges = `--reuid=${user} --regid=${one('Group')} --clear-groups`
  if (one('NoNewPrivileges') === 'yes') privileges += ' --no-new-privs'
  if (one('CapabilityBoundingSet') === '') privileges += ' --bounding-set=-all --inh-caps=-all'
  if (one('ProtectSystem') !== 'strict' || one('PrivateTmp') !== 'yes')
    throw new Error('the check expects these settings')
  return [
    `install --directory --owner=${user} --group=${one('Group')} --mode=${one('StateDirectoryMode')} ${state}`,
    `mount --bind ${state} ${state}`,
    'mount -t tmpfs -o mode=1777 private-tmp /tmp',
    'mount -o remount,bind,ro /',
    `umask ${one('UMask')}`,
    // Where this machine allows fewer files, as many as it allows.
    `{ ulimit -S -n ${one('LimitNOFILE')} 2>/dev/null || ulimit -S -n $(ulimit -H -n); }`,
    `exec setpriv ${privileges} env -i PATH=/usr/local/bin:/usr/bin:/bin ${environment} ${one('ExecStart')}`,
  ].join(' && ')
}
